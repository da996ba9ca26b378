"""The findings as text, as JSON and as SARIF, and the pages of the rules."""

import json
import shutil
import textwrap
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..template.source import provenance
from .checks import all_rules
from .finding import Finding, Result
from .rule import GROUPS
from .settings import known


def as_text(result: Result) -> str:
    """For people: by rule, errors first; each with its places and its remedy; then the count."""
    width = max(40, min(120, shutil.get_terminal_size((100, 24)).columns))
    rules = {one.rule: all_rules()[one.rule] for one in result.findings}.values()
    parts = []
    for rule in sorted(rules, key=lambda rule: (rule.severity, rule.id)):
        found = [one for one in result.findings if one.rule == rule.id]
        lines = [f"{rule.id} {rule.severity}: {rule.title}"]
        lines += [f"  {place(one)}{one.detail and f': {one.detail}'}" for one in found]
        lines.append(f"  Remedy: {rule.remedy}.")
        parts.append("\n".join(_wrapped(line, width) for line in lines))
    return "\n\n".join([*parts, "\n".join([*result.notes, _count(result)])])


def _wrapped(text: str, width: int) -> str:
    return textwrap.fill(
        text, width, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False
    )


def place(finding: Finding) -> str:
    """`train.py:12`, or `explore.ipynb:cell 3:12`."""
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{finding.file}:{cell}{finding.line}"


def _count(result: Result) -> str:
    found = [all_rules()[one.rule].severity.value for one in result.findings]
    counts = [_number(found.count(one), one) for one in ("error", "warning") if one in found]
    ignored = f", {result.ignored} ignored" if result.ignored else ""
    return f"{', '.join(counts) or 'nothing found'} in {_number(result.files, 'file')}{ignored}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def as_json(result: Result) -> str:
    """One JSON object."""
    findings = []
    for one in result.findings:
        rule = all_rules()[one.rule]
        about = {"severity": rule.severity, "group": rule.group, "title": rule.title}
        findings.append({**vars(one), **about, "remedy": rule.remedy})
    whole = {"ok": not findings, "files": result.files, "findings": findings}
    whole |= {"ignored": result.ignored, "notes": result.notes}
    return json.dumps(whole, indent=2, ensure_ascii=False)


def as_sarif(result: Result, error: str = "") -> str:
    """SARIF 2.1.0, with every rule; or why nothing was examined."""
    rules = [
        {
            "id": rule.id,
            "shortDescription": {"text": rule.title},
            "fullDescription": {"text": rule.why},
            "help": {"text": f"{rule.why} Remedy: {rule.remedy}."},
            "helpUri": rule.source,
            "defaultConfiguration": {"level": rule.severity},
        }
        for rule in all_rules().values()
    ]
    driver = {"name": "torchgen doctor", "version": provenance().version, "rules": rules}
    run: dict[str, Any] = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"ROOT": {"uri": Path.cwd().as_uri() + "/"}},
        "results": [_sarif_result(one) for one in result.findings],
    }
    if error:
        notice = {"level": "error", "message": {"text": error}}
        failed = {"executionSuccessful": False, "exitCode": 2}
        run["invocations"] = [{**failed, "toolConfigurationNotifications": [notice]}]
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json.dumps({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _sarif_result(one: Finding) -> dict[str, Any]:
    rule = all_rules()[one.rule]
    text = f"{rule.title}{one.detail and f' ({one.detail})'}. Remedy: {rule.remedy}."
    location = {
        "artifactLocation": {"uri": quote(one.file), "uriBaseId": "ROOT"},
        "region": {"startLine": one.line, "startColumn": one.column},
    }
    result = {"ruleId": one.rule, "level": rule.severity, "message": {"text": text}}
    return {**result, "locations": [{"physicalLocation": location}]}


def as_list() -> str:
    """Every rule, a line each."""
    rows = (f"{r.id}  {r.severity:<7}  {r.group:<21}  {r.title}" for r in all_rules().values())
    return "\n".join(rows)


def explanation(id: str) -> str:
    """The page of one rule; raises `UserError` for an unknown id."""
    rule = all_rules()[known(id.upper(), "--rules lists the rules")]
    example = textwrap.indent(rule.example, "    ") or "Only --run sees it."
    head = f"{rule.id} {rule.title} ({rule.severity})"
    return f"{head}\n\n{rule.why}\n\nRemedy: {rule.remedy}.\nSource: {rule.source}\n\n{example}"


def as_markdown() -> str:
    """The page of the docs."""
    parts = [
        "# The doctor's rules",
        "<!-- Written by `torchgen doctor --rules --markdown`; edit the checks instead. -->",
        "In each example the lines with `-` break the rule and those with `+` follow it. A line "
        "marked `# <--` is the one that is reported. The examples are tests; their imports are "
        "left out. [doctor.md](doctor.md) says how to use the doctor.",
    ]
    for group in GROUPS.values():
        parts.append(f"## {group}")
        for rule in [one for one in all_rules().values() if one.group == group]:
            parts.append(f"### {rule.id}\n\n**{rule.title}.** *{rule.severity}*\n\n{rule.why}")
            parts.append(f"Remedy: {rule.remedy}.\nSource: <{rule.source}>")
            parts += [f"```diff\n{rule.example}\n```"] if rule.example else []
    return "\n\n".join(parts)
