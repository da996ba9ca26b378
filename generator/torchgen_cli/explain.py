"""`torchgen explain`: what a question means, and what a choice changes in the project."""

import difflib
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from .base.errors import UserError
from .base.project import ANSWERS_FILE
from .base.staging import scratch_folder
from .questions.answers import complaint
from .questions.answers_file import read_file
from .questions.listing import as_text
from .questions.question import Question, nearest_question
from .questions.questionnaire import Questionnaire, installed
from .template.render import render
from .template.source import installed as installed_template

COLORS = {"+": "\x1b[32m", "-": "\x1b[31m", "@": "\x1b[36m"}
BOLD, PLAIN = "\x1b[1m", "\x1b[0m"


def meaning(name: str, as_json: bool) -> str:
    """The question, its choices and when to take which."""
    question = _question(installed(), name)
    if not as_json:
        return as_text((question,), shutil.get_terminal_size((100, 24)).columns)
    return json.dumps(_facts(question))


def difference(
    name: str, choices: tuple[str, str], answers: Path | None, as_json: bool, stat: bool | None
) -> str:
    """The diff between a project with the first choice and one with the second.

    With `stat`, which is the default for a diff that a terminal cannot show at once, how many lines
    of each file.
    """
    questionnaire = installed()
    question = _question(questionnaire, name)
    given = _other_answers(questionnaire, answers)
    context = {"_folder_name": "myproj", **given}
    for choice in choices:
        wrong = complaint(questionnaire, question, choice, context)
        if wrong:
            raise UserError(f"{name}: {wrong}", 2)
    with scratch_folder(Path(tempfile.gettempdir())) as scratch:
        template = installed_template(scratch).folder
        trees = []
        for side, choice in zip(("a", "b"), choices, strict=True):
            target = scratch / side / "myproj"
            target.parent.mkdir()
            render(template, target, questionnaire.typed({**given, question.name: choice}), {})
            trees.append(_files(target))
    diffs = _diffs(*trees)
    if not as_json:
        whole = "".join(diffs.values())
        if stat is None:
            stat = sys.stdout.isatty() and whole.count("\n") > shutil.get_terminal_size().lines
        return _stat(diffs) if stat else whole
    return json.dumps({**_facts(question), "from": choices[0], "to": choices[1], "diff": diffs})


def show(text: str) -> None:
    """Print; on a terminal in color (unless NO_COLOR is set) and with a pager."""
    if not sys.stdout.isatty():
        print(text, end="" if text.endswith("\n") else "\n")
        return
    if not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb":
        text = "".join(_colored(line) for line in text.splitlines(keepends=True))
    # less's options, unless the user has set some: quit if one screen, colors, no clearing
    env = {"LESS": "FRX", **os.environ}
    pager = shlex.split(os.environ.get("PAGER", "less"))
    if not pager or not shutil.which(pager[0]):
        print(text, end="")
        return
    subprocess.run(pager, input=text.encode("utf-8", "replace"), env=env, check=False)


def _question(questionnaire: Questionnaire, name: str) -> Question:
    plain = name.removeprefix("--").replace("-", "_")
    for question in questionnaire.questions:
        if question.name == plain:
            return question
    known = ", ".join(questionnaire.names)
    hint = nearest_question(plain, questionnaire.questions)
    raise UserError(f"no question is called {name!r}{hint} (the questions: {known})", 2)


def _facts(question: Question) -> dict[str, object]:
    return {
        "question": question.name,
        "help": question.help,
        "default": question.default_in_words,
        "choices": question.choices,
    }


def _other_answers(questionnaire: Questionnaire, answers: Path | None) -> Mapping[str, str]:
    """The answers of a file or a project, if one is given; a fixed project name otherwise."""
    if answers is None:
        return {"project_name": "myproj"}
    file = answers / ANSWERS_FILE if answers.is_dir() else answers
    return {"project_name": "myproj", **read_file(file, questionnaire.questions)}


def _files(tree: Path) -> dict[str, list[str]]:
    """The lines of each file except the answers file."""
    paths = sorted(path for path in tree.rglob("*") if path.is_file())
    return {
        path.relative_to(tree).as_posix(): path.read_text(encoding="utf-8").splitlines(True)
        for path in paths
        if path.name != ANSWERS_FILE
    }


def _stat(diffs: Mapping[str, str]) -> str:
    """The lines that are added and removed, file by file."""
    width = max(map(len, diffs), default=0)
    rows = []
    for name, diff in diffs.items():
        lines = diff.splitlines()[2:]
        added, removed = (sum(line[0] == sign for line in lines) for sign in "+-")
        rows.append(f"{name:<{width}}  +{added} -{removed}\n")
    return "".join([*rows, "Add --diff to see the lines.\n"])


def _diffs(before: dict[str, list[str]], after: dict[str, list[str]]) -> dict[str, str]:
    """The diff of each file, the package's first."""
    diffs = {}
    code = {name for name in before.keys() | after.keys() if name.endswith(".py")}
    code -= {name for name in code if name.startswith("tests/")}
    for name in sorted(before.keys() | after.keys(), key=lambda name: (name not in code, name)):
        old, new = before.get(name, []), after.get(name, [])
        if old != new:
            labels = (
                f"a/{name}" if name in before else os.devnull,
                f"b/{name}" if name in after else os.devnull,
            )
            diffs[name] = "".join(difflib.unified_diff(old, new, *labels))
    return diffs


def _colored(line: str) -> str:
    bold = line.startswith(("--- ", "+++ "))
    color = BOLD if bold else COLORS.get(line[:1], "")
    return f"{color}{line.rstrip()}{PLAIN}\n" if color else line
