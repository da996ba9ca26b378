"""The steps of `torchgen doctor`."""

import json as json_module
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.errors import UserError
from ..template.source import provenance
from . import report
from .behind import behind
from .examine import Examination, Finding, examine
from .settings import selected
from .targets import Target, gather


@dataclass
class Asked:
    """What the command line asks for."""

    hints: bool = False
    run: bool = False
    command: tuple[str, ...] = ()
    """With `run`: what is watched, in place of the project's own `verify`."""
    json: bool = False
    sarif: bool = False
    select: tuple[str, ...] = ()
    diff: str | None = None
    """A commit: only lines that differ from it."""
    baseline: Path | None = None
    write_baseline: Path | None = None
    fix: bool = False
    write: bool = False


def diagnose(paths: list[Path], asked: Asked) -> int:
    """Check projects and files, and print what was found; returns the exit code."""
    if asked.json and asked.sarif:
        raise UserError("--json and --sarif cannot be combined; give one of them", 2)
    if asked.write and not asked.fix:
        raise UserError("--write is for --fix: it makes the changes that --fix shows", 2)
    try:
        targets = gather(paths)
        result = examine_all(targets, asked.hints or asked.fix, selected(asked.select, "--select"))
        if asked.diff or asked.baseline or asked.write_baseline:
            narrow_down(result, asked)
    except UserError as error:
        if asked.json or asked.sarif:  # a program reads what is printed
            print(failure(error, asked))
        raise
    if asked.fix:
        return mend(targets, result, asked.write)
    refused = None
    if asked.run:
        try:
            result.findings += seen_by_running(targets[0].root, asked.command)
        except UserError as error:  # still report what was found without running
            refused = error
    print(in_words(result, asked))
    if refused:
        raise refused
    return 1 if result.failures else 0


def seen_by_running(root: Path, command: tuple[str, ...]) -> list[Finding]:
    """What the user's command shows, or the project's own `verify`."""
    if command:
        from .observe import observe

        return observe(list(command), root)
    from .verify import broken_promises

    return broken_promises(root)


def in_words(result: Examination, asked: Asked) -> str:
    """The result in the form that was asked for."""
    if asked.json:
        return report.as_json(result)
    if asked.sarif:
        return report.as_sarif(result, provenance().version)
    return report.as_text(result, asked.hints)


def failure(error: UserError, asked: Asked) -> str:
    """An object that says why nothing was examined."""
    if asked.sarif:
        return json_module.dumps(report.failed_log(str(error), provenance().version))
    return json_module.dumps({"ok": False, "error": str(error), "findings": []})


def mend(targets: list[Target], result: Examination, write: bool) -> int:
    """Print what --fix changes; returns 1 where it would change something."""
    from .fixes import fix

    diff = fix(targets, result, write)
    print(diff or "nothing that --fix can fix\n", end="")
    return 1 if diff and not write else 0


def narrow_down(result: Examination, asked: Asked) -> None:
    """Keep what is new by the lines, or by the baseline; or make that baseline."""
    from . import narrow

    if asked.diff:
        narrow.in_changed_lines(result, asked.diff)
    if asked.baseline:
        narrow.drop_known(result, asked.baseline)
    if asked.write_baseline:
        narrow.write_baseline(result, asked.write_baseline)
        result.notes.append(f"wrote {len(result.findings)} findings to {asked.write_baseline}")
        result.ignored += len(result.findings)
        result.findings = []


def examine_all(targets: list[Target], hints: bool, select: tuple[str, ...]) -> Examination:
    """Examine each target, and put together what is found."""
    merged = Examination(targets[0].root, 0)
    for target in targets:
        result = examine(target, hints, select, progress(), tolerant=True)
        folder = target.shown
        for one in result.findings:
            file = one.file if folder is None else (folder / one.file).as_posix()
            merged.findings.append(replace(one, file=file))
        merged.files += result.files
        merged.ignored += result.ignored
        merged.notes += result.notes
        if target.only is None and (line := behind(target.root)):
            merged.notes.append(line)
    if any(target.shown for target in targets):
        merged.root = Path()
    return merged


def progress() -> Callable[[int, int], None]:
    """Say on a terminal how far reading is, once it has taken two seconds."""
    began, said = time.monotonic(), [False]

    def say(done: int, total: int) -> None:
        if time.monotonic() - began > 2 and sys.stderr.isatty():
            said[0] = True
            print(f"\rread {done} of {total} files", end="", file=sys.stderr, flush=True)
        if said[0] and done == total - 1:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    return say
