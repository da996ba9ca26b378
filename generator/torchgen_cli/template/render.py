"""Render a template with Copier, for given answers."""

import contextlib
import functools
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ..base.errors import FULL, UserError
from ..base.project import ANSWERS_FILE


@dataclass(frozen=True)
class Rendering:
    """A project as the template writes it, without edits."""

    path: Path
    answers: dict[str, Any]
    """All that its answers file records, defaults of new questions included."""
    settled: Mapping[str, Any]
    """The answers that it was rendered with, also those of questions that nobody asks."""
    leave: Callable[[Path], bool]
    """Whether the template leaves an existing file alone (`_skip_if_exists`)."""


def render(
    template: Path, target: Path, answers: Mapping[str, Any], stamp: Mapping[str, str]
) -> Rendering:
    """Render into the new folder `target`, whose name is the project's folder's.

    `stamp` is recorded as the template's origin. Raises `UserError`.
    """
    import copier  # 0.3 s
    from copier.errors import CopierError
    from jinja2 import TemplateError

    try:
        with quick_copier():
            worker = copier.run_copy(
                str(template),
                target,
                data={**answers, "torchgen_stamp": dict(stamp)},
                defaults=True,
                quiet=True,
                settings=copier.Settings(),
            )
            leave, settled = worker.match_skip, dict(worker.answers.combined)
    except (CopierError, TemplateError, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise  # not the template's fault; `scratch_folder` adds where
        unanswered = re.fullmatch(r'Question "(\w+)" is required', str(error))
        if unanswered:
            raise UserError(
                f"the template asks for {unanswered[1]} and has no default for it: add a line "
                f"`{unanswered[1]}: ANSWER` to {ANSWERS_FILE}, commit that, and try again"
            ) from error
        raise UserError(f"cannot render the template: {error}") from error
    record = stamped(target / ANSWERS_FILE, stamp)
    answers = {name: value for name, value in record.items() if not name.startswith("_")}
    return Rendering(target, answers, settled, leave)


@contextlib.contextmanager
def quick_copier() -> Iterator[None]:
    """Let Copier render in half of the time, without its warnings.

    It calls git for each file, which a plain folder does not need, and which plumbum's PATH hides.
    It compiles the name of each folder again for each file in it, which Jinja keeps here.
    """
    from jinja2 import Environment
    from plumbum import local

    compile_once = functools.cache(compile_anew := Environment.from_string)
    Environment.from_string = compile_once  # type: ignore[assignment,method-assign]
    try:
        with warnings.catch_warnings(), local.env(PATH=""):
            warnings.simplefilter("ignore")
            yield
    finally:
        Environment.from_string = compile_anew  # type: ignore[method-assign]


def stamped(file: Path, stamp: Mapping[str, str]) -> dict[str, Any]:
    """The content of the answers file, with the stamp added if a fork's template omits it."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise UserError(
            f"the template writes no {ANSWERS_FILE}, so its projects cannot be updated"
        ) from error
    record: dict[str, Any] = yaml.safe_load(text) or {}
    if any(record.get(name) != value for name, value in stamp.items()):
        record |= stamp
        comment = "".join(line for line in text.splitlines(True) if line.startswith("#"))
        file.write_text(comment + yaml.safe_dump(record, allow_unicode=True), encoding="utf-8")
    return record
