"""The findings as text, as JSON, and as SARIF for code hosts."""

import json
from typing import Any
from urllib.parse import quote

from .examine import Examination, Finding
from .rule import Rule, Severity
from .rules import all_rules

SARIF_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def as_text(result: Examination) -> str:
    """A line per finding, with the remedy at a rule's first finding, and the count."""
    lines: list[str] = []
    explained: set[str] = set()
    for one in result.findings:
        lines.append(f"{one.file}:{one.line}: {one.about.severity}: {sentence(one)}")
        if one.rule not in explained:
            lines[-1] += f" — {one.about.remedy}"
            explained.add(one.rule)
    return "\n".join([*lines, *result.notes, _count(result)])


def sentence(finding: Finding) -> str:
    """The rule, and the details of this finding."""
    detail = f" ({finding.detail})" if finding.detail else ""
    return f"{finding.rule} {finding.about.title}{detail}"


def _count(result: Examination) -> str:
    counts = {severity: 0 for severity in Severity}
    for one in result.findings:
        counts[one.about.severity] += 1
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
                    "severity": one.about.severity,
                    "file": one.file,
                    "line": one.line,
                    "column": one.column,
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
        "level": LEVELS[one.about.severity],
        "message": {"text": f"{sentence(one)}. Remedy: {one.about.remedy}."},
        "locations": [{"physicalLocation": location}],
    }
