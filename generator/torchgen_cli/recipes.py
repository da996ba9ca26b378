"""Recipes: edits of a new project towards another target, such as masks in place of classes.

A recipe is a folder `docs/recipes/NAME` of the template's repository:

    README.md     the page that explains it; the project gets it as RECIPE.md
    recipe.toml   `summary`, one line; `description`, the project's; `delete`, files that go;
                  `needs`, answers it works with; `refuses`, extras that it does not work with
    files/        new files, and those that it replaces
    edits.diff    edits of files that stay
    CHOICE.diff   further edits where CHOICE is one of the answers, or one of the extras

Paths and texts name the package `myproj`.
"""

import difflib
import re
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .base.errors import UserError
from .base.git import GitError, git

PLACEHOLDER = "myproj"
PAGE = "RECIPE.md"
FOLDER = Path("docs", "recipes")
EXTRAS = "extras"  # the question that `refuses` is about


@dataclass(frozen=True)
class Recipe:
    """A list of edits that fit projects with certain answers."""

    name: str
    folder: Path
    summary: str
    delete: list[str]
    needs: dict[str, list[str]]
    """The choices of a question that it works with, where not with all."""
    refuses: list[str]
    """The extras that it does not work with."""
    description: str | None
    """What the project says that it does, where the user says nothing."""

    def offers(self, question: str, choice: str) -> bool:
        """Whether it works with this choice of a question."""
        if question == EXTRAS:
            return choice not in self.refuses
        return choice in self.needs.get(question, [choice])

    def check(self, answers: Mapping[str, Any]) -> None:
        """Raise `UserError` where it does not fit the answers, or git is missing."""
        for question, choices in self.needs.items():
            if answers.get(question) not in choices:
                flag = f"--{question.replace('_', '-')}"
                raise UserError(
                    f"the recipe {self.name} needs {flag} {' or '.join(choices)}, "
                    f"not {answers.get(question)}",
                    2,
                )
        if refused := [extra for extra in answers.get(EXTRAS, []) if extra in self.refuses]:
            raise UserError(
                f"the recipe {self.name} does not work with --extras {','.join(refused)}", 2
            )
        if shutil.which("git") is None:
            raise UserError("--recipe needs git, which is not installed: install git")

    def apply(self, project: Path, package: str, answers: Mapping[str, Any]) -> None:
        """Make the edits in a new project. Raises `UserError`."""
        for name in self.delete:
            (project / _renamed(name, package)).unlink()
        for path in sorted((self.folder / "files").rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                name = path.relative_to(self.folder / "files").as_posix()
                target = project / _renamed(name, package)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(_renamed(_read(path), package), encoding="utf-8")
        for part in dict.fromkeys(("edits", *_choices(answers))):
            diff = self.folder / f"{part}.diff"
            if diff.is_file():
                self._patch(project, _renamed(_read(diff), package))
        page = _renamed(_read(self.folder / "README.md"), package)
        (project / PAGE).write_text(page, encoding="utf-8")
        self._announce(project / "README.md")

    def _patch(self, project: Path, diff: str) -> None:
        command = ("-c", "core.autocrlf=false", "apply", "--whitespace=nowarn", "-")
        try:
            git(project, *command, stdin=diff.encode())
        except GitError as error:
            raise UserError(f"the recipe {self.name} does not fit this template: {error}") from None

    def _announce(self, readme: Path) -> None:
        """Say in the project's README which recipe it follows, before the first section."""
        if readme.is_file():
            before, section, after = _read(readme).partition("\n## ")
            page = f"[{PAGE}]({PAGE})"
            note = (
                f"\nIt follows the recipe {self.name}: {page} says what differs from this page.\n"
            )
            readme.write_text(before + note + section + after, encoding="utf-8")


def names(folder: Path) -> list[str]:
    """The recipes in a folder."""
    return sorted(path.parent.name for path in folder.glob("*/recipe.toml"))


def find(folder: Path, name: str) -> Recipe:
    """The recipe of that name. Raises `UserError` where there is none."""
    known = names(folder)
    if name not in known:
        near = difflib.get_close_matches(name, known, 1, 0.4)
        meant = f"; did you mean {near[0]}?" if near else "."
        there = f" There are {', '.join(known)}." if known else " This template has none."
        raise UserError(f"there is no recipe {name!r}{meant}{there}", 2)
    content = tomllib.loads(_read(folder / name / "recipe.toml"))
    return Recipe(
        name,
        folder / name,
        content["summary"],
        content.get("delete", []),
        content.get("needs", {}),
        content.get("refuses", []),
        content.get("description"),
    )


def _choices(answers: Mapping[str, Any]) -> Iterator[str]:
    """Each answer, and each of those to a question with several."""
    for answer in answers.values():
        yield from map(str, answer if isinstance(answer, list) else [answer])


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def _renamed(text: str, package: str) -> str:
    return re.sub(rf"\b{PLACEHOLDER}\b", package, text)
