"""The findings as text, as JSON, and as SARIF for code hosts."""

import json
import shutil
import textwrap
from typing import Any
from urllib.parse import quote

from .examine import Examination, Finding
from .rule import Rule, Severity
from .rules import all_rules

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ORDER = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.HINT: 2}
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def as_text(result: Examination, hints: bool = False, width: int | None = None) -> str:
    """For people: by rule, the worst first; each with its places, its remedy, and the count.

    The first place stands for all with the same code, and of a rule that is shown once for all of
    its kind, unless `hints`.
    """
    if width is None:
        width = max(40, min(120, shutil.get_terminal_size((100, 24)).columns))
    rules = sorted(
        {one.rule for one in result.findings},
        key=lambda id: (min(ORDER[o.severity] for o in result.findings if o.rule == id), id),
    )
    parts = []
    for id in rules:
        found = [one for one in result.findings if one.rule == id]
        about = all_rules()[id]
        severity = min((one.severity for one in found), key=ORDER.__getitem__)
        lines = [_wrapped(f"{id} {severity}: {about.title}", width, "      ")]
        lines += [_wrapped(f"  {line}", width, "      ") for line in _places(found, hints)]
        lines.append(_wrapped(f"  Remedy: {about.remedy}.", width, "    "))
        parts.append("\n".join(lines))
    end = "\n".join([*result.notes, _count(result)])
    return "\n\n".join([*parts, end])


def _places(found: list[Finding], hints: bool) -> list[str]:
    """A line for each place: where it is, and what is special about it."""
    alike: dict[tuple[str, str], list[Finding]] = {}
    for one in found:
        which = place(one) if hints else "" if one.about.once else one.code or place(one)
        alike.setdefault((one.detail, which), []).append(one)
    lines = []
    for first, *others in alike.values():
        hidden = len(others) if not hints else 0  # else they share the line
        more = f"and in {_number(hidden, 'more place')}: --hints shows them" if hidden else ""
        doubt = "a hint" if first.unsure else ""
        said = ", ".join(filter(None, [doubt, first.detail, more]))
        lines.append(f"{place(first)}: {said}" if said else place(first))
    return lines


def place(finding: Finding) -> str:
    """`train.py:12`, or `explore.ipynb:cell 3:12`."""
    cell = f"cell {finding.cell}:" if finding.cell is not None else ""
    return f"{finding.file}:{cell}{finding.line}"


def _wrapped(text: str, width: int, indent: str) -> str:
    return textwrap.fill(
        text,
        width,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def sentence(finding: Finding) -> str:
    """The rule, and the details of this finding."""
    detail = f" ({finding.detail})" if finding.detail else ""
    return f"{finding.rule} {finding.about.title}{detail}"


def _count(result: Examination) -> str:
    counts = {severity: 0 for severity in Severity}
    for one in result.findings:
        counts[one.severity] += 1
    parts = [_number(count, str(severity)) for severity, count in counts.items() if count]
    files = _number(result.files, "file")
    ignored = f", {result.ignored} ignored" if result.ignored else ""
    return f"{', '.join(parts) or 'nothing found'} in {files}{ignored}"


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" + ("" if count == 1 else "s")


def as_json(result: Examination) -> str:
    """One JSON object."""
    return json.dumps(
        {
            "path": str(result.root),
            "files": result.files,
            "ok": not result.failures,
            "findings": [
                {
                    "rule": one.rule,
                    "group": one.about.group,
                    "severity": one.severity,
                    "file": one.file,
                    "line": one.line,
                    "column": one.column,
                    **({} if one.cell is None else {"cell": one.cell}),
                    "title": one.about.title,
                    "detail": one.detail,
                    "remedy": one.about.remedy,
                }
                for one in result.findings
            ],
            "ignored": result.ignored,
            "notes": result.notes,
        },
        indent=2,
        ensure_ascii=False,
    )


def as_sarif(result: Examination, version: str) -> str:
    """SARIF 2.1.0, with every rule."""
    places = {id: place for place, id in enumerate(all_rules())}
    driver = {
        "name": "torchgen doctor",
        "version": version,
        "rules": [_sarif_rule(rule) for rule in all_rules().values()],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {"ROOT": {"uri": result.root.resolve().as_uri() + "/"}},
        "results": [_sarif_result(one, places[one.rule]) for one in result.findings],
    }
    log = {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False)


def failed_log(message: str, version: str) -> dict[str, Any]:
    """The log of an examination that could not be made."""
    notice = {"level": "error", "message": {"text": message}}
    failed = {"executionSuccessful": False, "exitCode": 2}
    run = {
        "tool": {"driver": {"name": "torchgen doctor", "version": version}},
        "invocations": [{**failed, "toolConfigurationNotifications": [notice]}],
        "results": [],
    }
    return {"$schema": SARIF_SCHEMA, "version": "2.1.0", "runs": [run]}


def _sarif_rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "shortDescription": {"text": rule.title},
        "fullDescription": {"text": rule.why},
        "help": {"text": f"{rule.why} Remedy: {rule.remedy}."},
        "helpUri": rule.source,
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
        "properties": {"tags": [rule.group]},
    }


def _sarif_result(one: Finding, place: int) -> dict[str, Any]:
    location = {
        "artifactLocation": {"uri": quote(one.file), "uriBaseId": "ROOT"},
        "region": {"startLine": one.line, "startColumn": one.column},
    }
    return {
        "ruleId": one.rule,
        "ruleIndex": place,
        "level": LEVELS[one.severity],
        "message": {"text": f"{sentence(one)}. Remedy: {one.about.remedy}."},
        "locations": [{"physicalLocation": location}],
    }
