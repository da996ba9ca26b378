"""Only what is new: findings in changed lines, or findings that a baseline does not know."""

import hashlib
import json
import re
import subprocess
from collections import Counter
from pathlib import Path

from ..base.errors import UserError
from .examine import Examination, Finding
from .targets import STDIN

HUNK = re.compile(rb"^@@ -\S+ \+(\d+)(?:,(\d+))? @@", re.M)


def in_changed_lines(result: Examination, reference: str) -> None:
    """Drop what is not in lines that differ from a commit; raises `UserError` without git.

    Of a notebook that differs, all findings are kept: its lines are not those of its cells.
    """
    files = {one.file for one in result.findings}
    changed = {file: changed_lines(result.root, file, reference) for file in files}
    result.findings = [
        one
        for one in result.findings
        if (changed[one.file] if one.cell is not None else one.line in changed[one.file])
    ]


def changed_lines(root: Path, file: str, reference: str) -> set[int]:
    """The numbers of the lines of a file that differ from a commit; all of a new file."""
    place = root / file
    if file == STDIN:
        raise UserError("--diff needs files, not the standard input", 2)
    git = ["git", "-C", str(place.parent)]
    known = _run([*git, "cat-file", "-e", f"{reference}:./{place.name}"])
    if known.returncode:
        if _run([*git, "rev-parse", "--verify", "--quiet", f"{reference}^{{commit}}"]).returncode:
            raise UserError(f"--diff {reference}: git knows no such commit here", 2)
        return set(range(1, len(place.read_bytes().splitlines()) + 1))
    line = [*git, "diff", "--unified=0", "--no-color", "--no-ext-diff", reference]
    diff = _run([*line, "--", place.name]).stdout
    lines: set[int] = set()
    for match in HUNK.finditer(diff):
        first, count = int(match[1]), int(match[2] or 1)
        lines.update(range(first, first + count))
    return lines


def _run(line: list[str]) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(line, capture_output=True, check=False)
    except OSError as error:
        raise UserError("--diff needs git, which is not installed", 2) from error


def fingerprints(result: Examination) -> list[str]:
    """A name of each finding that stays the same while lines move: rule, file, text of the line."""
    names = [_named(one, result.root) for one in result.findings]
    return [hashlib.sha256(name.encode()).hexdigest()[:16] for name in names]


def _named(finding: Finding, root: Path) -> str:
    try:
        lines = (root / finding.file).read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    text = lines[finding.line - 1].strip() if finding.cell is None and lines else ""
    return f"{finding.rule} {finding.file} {finding.detail} {text}"


def write_baseline(result: Examination, file: Path) -> None:
    """Keep what is found now, by rule and file for people, by fingerprint for us."""
    known = [
        {"fingerprint": name, "rule": one.rule, "file": one.file}
        for name, one in zip(fingerprints(result), result.findings, strict=True)
    ]
    try:
        file.write_text(json.dumps({"findings": known}, indent=1) + "\n", encoding="utf-8")
    except OSError as error:
        raise UserError(f"--write-baseline {file}: {error.strerror}", 2) from error


def drop_known(result: Examination, file: Path) -> None:
    """Drop as many findings of each fingerprint as the baseline has; raises `UserError`."""
    try:
        known = Counter(
            str(one["fingerprint"])
            for one in json.loads(file.read_text(encoding="utf-8"))["findings"]
        )
    except OSError as error:
        raise UserError(
            f"--baseline {file}: {error.strerror}; --write-baseline makes it", 2
        ) from error
    except (ValueError, KeyError, TypeError) as error:
        raise UserError(f"--baseline {file}: not a baseline of torchgen doctor", 2) from error
    kept = []
    for name, one in zip(fingerprints(result), result.findings, strict=True):
        if known[name] > 0:
            known[name] -= 1
            result.ignored += 1
        else:
            kept.append(one)
    result.findings = kept
    gone = sum(known.values())
    if gone:
        result.notes.append(f"{file}: {gone} of its findings are gone; write it again")
