"""What has one safe remedy, mended: as a diff, or in the files."""

import ast
import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..base.errors import UserError
from .examine import Examination, Finding, silent
from .project import Module, read
from .rule import as_spot
from .rules.checkpoint.loading import unsafe_load
from .rules.data.data import no_set_epoch
from .rules.deprecated.deprecated import uses
from .rules.deprecated.names import DEPRECATED
from .rules.model.slips import misspelt_flag
from .settings import read_settings
from .syntax import own_nodes, written
from .targets import Target

# of these the new function takes what the old one took
ALIKE = ("torch.nn.init.", "torch.nn.utils.clip_grad_norm", "torch.ger", "torch.cuda.memory_cached")


@dataclass(frozen=True)
class Edit:
    """Bytes of a line to be replaced."""

    rule: str
    node: ast.AST  # where the finding is
    line: int
    start: int
    end: int
    text: bytes


def edits_in(module: Module) -> Iterator[Edit]:
    """What can be mended in a file."""
    for spot in map(as_spot, unsafe_load(module)):
        if spot.detail == "no weights_only":
            yield _added("TG601", spot.node, module.lines, b"weights_only=True")
    for spot in map(as_spot, no_set_epoch(module)):
        yield from _told_of_epochs(module, spot.node, module.lines)
    for spot in map(as_spot, misspelt_flag(module)):
        yield from _renamed("TG309", spot.node, "requires_grad")
    for spot in uses(module, DEPRECATED):
        old, _, new = spot.detail.partition(": ")
        same_place = old.rpartition(".")[0] == new.rpartition(".")[0]
        if same_place and old.startswith(ALIKE):
            yield from _renamed("TG803", spot.node, new.rpartition(".")[2])


def _added(rule: str, node: ast.AST, lines: Sequence[bytes], text: bytes) -> Edit:
    """An argument at the end of a call."""
    assert isinstance(node, ast.Call) and node.end_lineno and node.end_col_offset
    place = node.end_col_offset - 1
    before = b" ".join(lines[node.lineno - 1 : node.end_lineno - 1])
    before = (before + lines[node.end_lineno - 1][:place]).rstrip()
    comma = b"" if before.endswith((b",", b"(")) else b", "
    return Edit(rule, node, node.end_lineno, place, place, comma + text)


def _told_of_epochs(module: Module, call: ast.AST, lines: Sequence[bytes]) -> Iterator[Edit]:
    """`sampler.set_epoch(epoch)`, where one sampler is always made before one loop over epochs."""
    made, scope = module.parents[call], module.function(call)
    if not isinstance(made, ast.Assign) or module.parents[made] is not scope:
        return
    name = written(made.targets[0])
    loops = [
        loop
        for loop in own_nodes(scope)
        if isinstance(loop, ast.For)
        and isinstance(loop.target, ast.Name)
        and "epoch" in loop.target.id.lower()
    ]
    keywords = [one for one in own_nodes(scope) if isinstance(one, ast.keyword)]
    if not any(one.arg == "sampler" and written(one.value) == name for one in keywords):
        return
    if len(loops) != 1:
        return
    loop, first = loops[0], loops[0].body[0]
    alone = len(made.targets) == 1 == len(module.value_in(made.targets[0], scope))
    if alone and made.lineno < loop.lineno < first.lineno and isinstance(loop.target, ast.Name):
        place = first.col_offset
        indent = lines[first.lineno - 1][:place]
        text = f"{name}.set_epoch({loop.target.id})\n".encode() + indent
        yield Edit("TG202", call, first.lineno, place, place, text)


def _renamed(rule: str, node: ast.AST, name: str) -> Iterator[Edit]:
    """Another last part of a dotted name."""
    if isinstance(node, ast.Attribute) and node.end_lineno and node.end_col_offset:
        start = node.end_col_offset - len(node.attr)
        yield Edit(rule, node, node.end_lineno, start, node.end_col_offset, name.encode())


def mended(target: Target, findings: list[Finding]) -> dict[str, tuple[bytes, bytes]]:
    """By file, its content before and after; only what is among the findings is mended."""
    wanted = {(one.file, one.line, one.column, one.rule) for one in findings}
    project = read(target.root, read_settings(target.root).excludes, silent)
    changed = {}
    for module in project.modules:
        if module.name in project.notebooks:
            continue
        edits = []
        for edit in edits_in(module):
            line, column = getattr(edit.node, "lineno", 0), getattr(edit.node, "col_offset", -1)
            if (module.name, line, column + 1, edit.rule) in wanted:
                edits.append(edit)
        if edits:
            before = project.contents[module.name]
            changed[module.name] = before, apply(before, edits)
    return changed


def apply(content: bytes, edits: list[Edit]) -> bytes:
    """The content with the edits made, from the last one to the first."""
    lines = content.splitlines(keepends=True)
    for edit in sorted(set(edits), key=lambda one: (one.line, one.start), reverse=True):
        line = lines[edit.line - 1]
        lines[edit.line - 1] = line[: edit.start] + edit.text + line[edit.end :]
    return b"".join(lines)


def fix(targets: list[Target], result: Examination, write: bool) -> str:
    """The diff of all that is mended; the files are only changed if `write`."""
    parts: list[str] = []
    for target in targets:
        if target.content is not None:
            raise UserError("--fix needs files, not the standard input", 2)
        shown = target.shown
        own = [
            one if shown is None else _below(one, shown)
            for one in result.findings
            if shown is None or one.file.startswith(f"{shown.as_posix()}/")
        ]
        for name, (before, after) in mended(target, own).items():
            place = name if shown is None else (shown / name).as_posix()
            old, new = (one.decode("utf-8", "replace").splitlines(True) for one in (before, after))
            parts += difflib.unified_diff(old, new, f"a/{place}", f"b/{place}")
            if write:
                (target.root / name).write_bytes(after)
    return "".join(parts)


def _below(finding: Finding, folder: Path) -> Finding:
    """The finding as it is named within its own folder."""
    return replace(finding, file=finding.file.removeprefix(f"{folder.as_posix()}/"))
