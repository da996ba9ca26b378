"""What the page of `torchgen explore` shows: each file of each project, in pieces.

Jinja handles whitespace in its lexer, so a template is cut at the nodes of its syntax tree. Each
piece is rendered once for each combination of the answers that it depends on, and each text is kept
once. The page picks pieces and joins them.
"""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import pathspec
import yaml
from jinja2 import meta, nodes

from ..base.errors import UserError
from ..base.project import ANSWERS_FILE
from ..questions.questionnaire import Questionnaire, config_of

PROJECT, PACKAGE = "zz9-project-zz9", "zz9_package_zz9"  # the page fills in the user's name
MOST = 1024  # texts of one piece; more mean that it is not cut well

Piece = int | dict[str, Any]
"""The number of a text; or `on`, the answers that it depends on, with `of`, the number of its text
for each of their values, or with `is`, the values for which it is the pieces of `then` and not of
`else`."""


class Content:
    """The files of a template, in pieces. Raises UserError if it cannot be cut."""

    def __init__(self, root: Path, stamp: Mapping[str, str]) -> None:
        """`root` has the copier.yml; a project records `stamp` as the template's origin."""
        self.questionnaire, config = Questionnaire(root), config_of(root)
        # an optimizer changes the trees that it compiles
        self.jinja = self.questionnaire.jinja.overlay(optimized=False)
        self.choices = {q.name: q for q in self.questionnaire.questions if q.choices}
        self.fixed: dict[str, Any] = {"_folder_name": PROJECT, "torchgen_stamp": dict(stamp)}
        for name, described in config.items():
            if not name.startswith("_") and name not in self.choices:
                value: Any = described.get("default") if isinstance(described, dict) else described
                if isinstance(value, str):
                    value = self.jinja.from_string(value).render(self.fixed)
                self.fixed[name] = value
        self.fixed |= {"project_name": PROJECT, "package_name": PACKAGE}
        self.fixed["_copier_conf"] = {"answers_file": ANSWERS_FILE}
        self.texts: dict[str, int] = {}
        suffix = str(config.get("_templates_suffix", ".jinja"))
        excludes = [
            self._table(self.jinja.parse(text).body, ()) for text in config.get("_exclude", [])
        ]
        folder = root / str(config.get("_subdirectory", ""))
        self.files: list[dict[str, Any]] = []
        for path in sorted(folder.rglob("*")):
            if path.is_file():
                self.files += self._files(
                    path, path.relative_to(folder).as_posix(), suffix, excludes
                )

    def as_json(self) -> dict[str, Any]:
        """All that the page needs, for `json.dumps`."""
        return {
            "questions": [
                {
                    "name": q.name,
                    "flag": q.flag,
                    "help": q.help,
                    "default": q.picked(str(q.default)) if q.several else q.default,
                    "choices": q.choices,
                    "several": q.several,
                    "needs": q.needs,
                }
                for q in self.choices.values()
            ],
            "project": PROJECT,
            "package": PACKAGE,
            "texts": list(self.texts),
            "files": self.files,
        }

    def _files(
        self, path: Path, name: str, suffix: str, excludes: list[tuple[list[str], dict[str, str]]]
    ) -> Iterator[dict[str, Any]]:
        """The file or files that a template's file becomes, each with the conditions for it."""
        on, names = self._table(self.jinja.parse(name.removesuffix(suffix)).body, ())
        for target in sorted(target for target in set(names.values()) if all(target.split("/"))):
            conditions = [{"on": on, "is": [k for k, v in names.items() if v == target]}]
            for others, patterns in excludes:
                shown = [key for key, pattern in patterns.items() if not _matches(pattern, target)]
                if len(shown) < len(patterns):
                    conditions.append({"on": others, "is": shown})
            if all(condition["is"] for condition in conditions):
                text = path.read_text(encoding="utf-8")
                if target == ANSWERS_FILE:
                    pieces = self._answers(text)
                elif name.endswith(suffix):
                    pieces = list(self._pieces(self.jinja.parse(text).body, ()))
                else:
                    pieces = [self._text(text)]
                executable = bool(path.stat().st_mode & 0o100)
                conditions = [condition for condition in conditions if condition["on"]]
                yield {"path": target, "run": executable, "if": conditions, "pieces": pieces}

    def _answers(self, text: str) -> list[Piece]:
        """The answers file: a comment, and a mapping in the order of its names."""
        fixed: dict[str, Any] = {**self.fixed["torchgen_stamp"]}
        fixed |= {q.name: self.fixed[q.name] for q in self.questionnaire.questions if not q.choices}
        comment = "".join(line for line in text.splitlines(True) if line.startswith("#"))
        pieces: list[Piece] = [self._text(comment)]
        for name in sorted([*fixed, *self.choices]):
            question = self.choices.get(name)
            if question is None:
                pieces.append(self._text(_yaml({name: fixed[name]})))
            elif question.several:
                lines = [
                    {
                        "on": [f"{name}.{c}"],
                        "of": {"0": self._text(""), "1": self._text(_yaml([c]))},
                    }
                    for c in question.choices
                ]
                empty = self._text(_yaml({name: []}))
                some = [self._text(f"{name}:\n"), *lines]
                pieces.append({"on": [name], "is": ["1"], "then": some, "else": [empty]})
            else:
                of = {}
                for choice in question.choices:
                    answer = {name: question.typed(choice)}
                    asked = self.questionnaire.is_asked(question, self._context({}) | answer)
                    of[choice] = self._text(_yaml(answer) if asked else "")
                pieces.append({"on": [name], "of": of})
        return pieces

    def _pieces(
        self, body: Sequence[nodes.Node], before: tuple[nodes.Node, ...]
    ) -> Iterator[Piece]:
        """Cut a template; `before` are the assignments that hold here."""
        for node in body:
            if isinstance(node, nodes.Assign):
                before = (*before, node)
            elif isinstance(node, nodes.Output) and len(node.nodes) > 1:
                yield from self._pieces([nodes.Output([part]) for part in node.nodes], before)
            elif isinstance(node, nodes.Include):
                on, names = self._table([nodes.Output([node.template])], before)
                for name in sorted(set(names.values())):
                    pieces = list(self._pieces(self._parsed(name), before))
                    yield from self._where(
                        on, [k for k, v in names.items() if v == name], pieces, []
                    )
            elif isinstance(node, nodes.If):
                other: list[nodes.Node] = node.else_
                for branch in reversed(node.elif_):
                    other = [nodes.If(branch.test, branch.body, [], other)]
                test = nodes.CondExpr(node.test, nodes.Const("1"), nodes.Const(""))
                on, found = self._table([nodes.Output([test])], before)
                then, rest = (list(self._pieces(b, before)) for b in (node.body, other))
                yield from self._where(on, [k for k, v in found.items() if v], then, rest)
            else:
                on, found = self._table([node], before)
                if several := [
                    name for name in on if name in self.choices and not self._is_single(name)
                ]:
                    raise UserError(f"the page cannot show a file that prints all {several[0]}")
                texts = {key: self._text(text) for key, text in found.items()}
                yield {"on": on, "of": texts} if on else texts[""]

    def _where(
        self, on: list[str], values: list[str], then: list[Piece], rest: list[Piece]
    ) -> list[Piece]:
        if not on:
            return then if values else rest
        return [{"on": on, "is": values, "then": then, "else": rest}]

    def _table(
        self, body: Sequence[nodes.Node], before: tuple[nodes.Node, ...]
    ) -> tuple[list[str], dict[str, str]]:
        """The answers that a piece of a template depends on, and its text for their values."""
        template = nodes.Template([*before, *body], lineno=1)
        for node in (template, *template.find_all(nodes.Node)):
            node.lineno = node.lineno or 1
        template.set_environment(self.jinja)
        on = list(self._dependencies(template))
        values = [
            list(self.choices[name].choices) if self._is_single(name) else ["0", "1"] for name in on
        ]
        if math.prod(map(len, values)) > MOST:
            raise UserError(f"the page cannot show what depends on {', '.join(on)} at once")
        code = self.jinja.compile(template)
        run = self.jinja.template_class.from_code(self.jinja, code, self.jinja.globals)
        return on, {
            ",".join(chosen): run.render(self._context(dict(zip(on, chosen, strict=True))))
            for chosen in itertools.product(*values)
        }

    def _dependencies(self, template: nodes.Template) -> Iterator[str]:
        """Of a question with several answers, these are the choices that the template names."""
        texts = [node.value for node in template.find_all(nodes.Const)]
        names = meta.find_undeclared_variables(deepcopy(template))  # it folds constants in place
        for name, question in self.choices.items():
            if name in names and question.several:
                yield from [f"{name}.{c}" for c in question.choices if c in texts] or [name]
            elif name in names:
                yield name

    def _is_single(self, name: str) -> bool:
        return name in self.choices and not self.choices[name].several

    def _context(self, values: Mapping[str, str]) -> dict[str, Any]:
        context: dict[str, Any] = {**self.fixed}
        for name, question in self.choices.items():
            if not question.several:
                context[name] = question.typed(values.get(name, next(iter(question.choices))))
            elif name in values:  # whether there is any
                context[name] = list(question.choices) if values[name] == "1" else []
            else:
                context[name] = [c for c in question.choices if values.get(f"{name}.{c}") == "1"]
        return context

    def _parsed(self, name: str) -> list[nodes.Node]:
        assert self.jinja.loader
        return self.jinja.parse(self.jinja.loader.get_source(self.jinja, name)[0]).body

    def _text(self, text: str) -> int:
        return self.texts.setdefault(text, len(self.texts))


@cache
def _spec(pattern: str) -> Any:
    return pathspec.GitIgnoreSpec.from_lines([pattern])


def _matches(pattern: str, path: str) -> bool:
    """Whether a pattern of `_exclude` leaves a file, or a folder around it, out."""
    return bool(pattern) and _spec(pattern).match_file(path)


def _yaml(value: Any) -> str:
    """As Copier's `to_nice_yaml` writes it."""
    return str(yaml.safe_dump(value, indent=4, allow_unicode=True, default_flow_style=False))
