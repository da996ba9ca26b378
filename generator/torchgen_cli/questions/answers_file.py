"""Answers files: a local path, or a file in a git repository as ADDRESS#FILE."""

import tempfile
import tomllib
from pathlib import Path

import yaml

from ..base.errors import UserError
from ..base.git import GitError, git_bytes
from ..template.provenance import recordable
from .question import Question, nearest_question

RECORDED = ("_commit", "_src_path")  # so that a project's .copier-answers.yml serves as a file


def read_file(file: Path, questions: tuple[Question, ...]) -> dict[str, str]:
    """The answers in a YAML or TOML file, as text: `amp: off` is "off", a list is "serve,sweep".

    Raises `UserError` if the file cannot be read, names an unknown question, or one twice.
    """
    return read_text(*text_of(str(file)), questions)


def read_text(label: str, content: bytes, questions: tuple[Question, ...]) -> dict[str, str]:
    """The same for a file's content; `label` is its name in messages, with its suffix."""
    names = [question.name for question in questions]
    lists = {question.name for question in questions if question.several}
    parse = _toml if label.lower().endswith(".toml") else _yaml
    try:
        pairs = parse(content.decode("utf-8-sig"), lists)
    except (ValueError, yaml.YAMLError) as error:  # not UTF-8, not TOML, not YAML, not flat
        raise UserError(f"{label}: {error}") from error
    answers: dict[str, str] = {}
    for name, value in pairs:
        if name in RECORDED:
            continue
        if name not in names:
            known = f" (the questions: {', '.join(names)})"
            hint = nearest_question(name, questions)
            raise UserError(f"{label}: no question is called {name!r}{hint}{known}")
        if name in answers:
            raise UserError(f"{label}: {name} is answered twice; remove one")
        answers[name] = value
    return answers


def text_of(where: str) -> tuple[str, bytes]:
    """The file's name in messages (without a password), and its content. Raises `UserError`."""
    repository, sign, name = where.rpartition("#")
    if sign and name and repository and not Path(where).exists():
        return _from_git(repository, name)
    try:
        return where, Path(where).read_bytes()
    except OSError as error:
        raise UserError(f"cannot read the answers file {where}: {error.strerror}", 2) from error


def _from_git(repository: str, name: str) -> tuple[str, bytes]:
    """The file in the newest commit of the repository."""
    from ..template.releases import clone  # seldom needed

    source = recordable(repository, Path.cwd())
    label = f"{source}#{name}"
    with tempfile.TemporaryDirectory(prefix="torchgen-") as folder:
        answers = Path(folder) / "answers.git"
        try:
            clone(repository, answers, "--depth", "1")
        except GitError as error:
            raise UserError(f"cannot reach {source} for the answers in {name} ({error})") from error
        try:
            return label, git_bytes(answers, "show", f"HEAD:{name}")
        except GitError as error:
            raise UserError(f"{source} has no file {name} ({error})") from error


def _yaml(text: str, lists: set[str]) -> list[tuple[str, str]]:
    """Keys and values as written, without YAML 1.1's conversions (off, no, 1_000, 1:30)."""
    root = yaml.compose(text, Loader=yaml.BaseLoader)
    if root is None:
        return []
    if not isinstance(root, yaml.MappingNode):
        raise ValueError("expected lines of the form `question: answer`")
    pairs = []
    for key, value in root.value:
        items = [value]
        if key.value in lists and isinstance(value, yaml.SequenceNode):
            items = value.value
        if not all(isinstance(node, yaml.ScalarNode) for node in (key, *items)):
            line = value.start_mark.line + 1
            raise ValueError(f"line {line}: expected `question: answer`, with text as the answer")
        pairs.append((key.value, ",".join(item.value for item in items)))
    return pairs


def _toml(text: str, lists: set[str]) -> list[tuple[str, str]]:
    pairs = []
    for name, value in tomllib.loads(text).items():
        items = value if name in lists and isinstance(value, list) else [value]
        if not all(isinstance(item, str) for item in items):
            raise ValueError(f'{name}: the answer must be a quoted string, as in {name} = "..."')
        pairs.append((name, ",".join(items)))
    return pairs
