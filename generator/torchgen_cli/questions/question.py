"""One question of a template, as its copier.yml describes it."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..base.output import answer_in_words

YES = {"y", "yes", "t", "true", "on", "1"}
NO = {"n", "no", "f", "false", "off", "0"}


def _bool(text: str) -> bool:
    word = text.strip().lower()
    if word not in YES | NO:
        raise ValueError
    return word in YES


NONE, ALL = "none", "all"  # of the choices of a multiselect

# What an answer's text stands for, and what it is called in a refusal. Other types (yaml, json) are
# left to Copier, which gets the text.
TYPES: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "str": (str, "text"),
    "path": (str, "text"),
    "bool": (_bool, "yes or no"),
    "int": (int, "a whole number"),
    "float": (float, "a number"),
}


@dataclass(frozen=True)
class Question:
    """One question that a user is asked. Answers are text here, for all types.

    That of a multiselect is a list with commas, or `none` or `all`.
    """

    name: str
    help: str
    default: str | None
    """May be a Jinja template; None if an answer is required."""
    choices: dict[str, str]
    """Answer -> one line of advice; empty if any text is allowed."""
    validator: str
    """A Jinja template that renders an error message, or nothing if the answer is valid."""
    type: str
    when: str
    """A Jinja template that renders whether it is asked."""
    several: bool = False
    """Whether any number of the choices is an answer (`multiselect`)."""
    needs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The choices of a multiselect that need others, which they bring along."""

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def computed(self) -> bool:
        """Whether the default is computed from the folder's name or other answers."""
        return self.default is not None and is_template(self.default)

    @property
    def of_folder(self) -> bool:
        """Whether the default is computed from the folder's name."""
        return self.computed and "_folder_name" in str(self.default)

    @property
    def default_in_words(self) -> str:
        if self.default is None:
            return "none; an answer is required"
        if self.of_folder:
            return "the last part of PATH, converted to a-z, 0-9 and -"
        return "computed from other answers" if self.computed else self.default or "empty"

    def is_default(self, choice: str) -> bool:
        if not self.several:
            return choice == self.default
        return self.default is not None and choice in (self.named(self.default) or [NONE])

    @property
    def metavar(self) -> str:
        words = {"bool": "yes|no", "int": "NUMBER", "float": "NUMBER"}
        return ("," if self.several else "|").join(self.choices) or words.get(self.type, "TEXT")

    @property
    def plain(self) -> bool:
        """Whether its answers can be checked here; others only Copier checks."""
        return self.type in TYPES

    @property
    def limits(self) -> dict[str, Any]:
        """The part of the validator that JSON schema can express."""
        wanted = re.search(
            rf'if not {self.name} \| regex_search\("\\\\A(.+)\\\\Z"\) -?%}}', self.validator
        )
        longest = re.search(rf"if {self.name} \| length > (\d+) -?%}}", self.validator)
        limits: dict[str, Any] = {"pattern": f"^{wanted[1]}$"} if wanted else {}
        return limits | ({"maxLength": int(longest[1])} if longest else {})

    def typed(self, answer: str) -> Any:
        """The answer as templates see it. Raises `ValueError` with what was expected."""
        cast, expected = TYPES.get(self.type, (str, "text"))
        try:
            return list(map(cast, self.picked(answer))) if self.several else cast(answer)
        except ValueError:
            raise ValueError(f"{answer!r} is not {expected}") from None

    def named(self, answer: str) -> list[str]:
        """The choices that an answer to a multiselect names, known or not: `a,b` or `[a, b]`."""
        words = (word.strip(" '\"") for word in answer.strip("[] \n").split(","))
        listed = [word for word in words if word]
        if listed == [NONE]:
            return []
        return list(self.choices) if listed == [ALL] else listed

    def brought(self, answer: str) -> list[str]:
        """A line for each choice that comes along, as another needs it."""
        if not self.several:
            return []
        named, picked = self.named(answer), self.picked(answer)
        users = {
            other: [choice for choice in picked if other in self.needs.get(choice, ())]
            for other in picked
            if other not in named
        }
        return [f"{other} comes along, for {', '.join(by)}" for other, by in users.items()]

    def picked(self, answer: str) -> list[str]:
        """The same with what they need, in the order of the choices."""
        wanted = self.named(answer)
        for choice in wanted:  # which grows meanwhile
            wanted += [other for other in self.needs.get(choice, ()) if other not in wanted]
        return [choice for choice in self.choices if choice in wanted]


def parse(name: str, described: Any, needs: Any = None) -> Question:
    """The question from its entry in copier.yml: a mapping, or only the default.

    `needs`: of choices, the lists of others that they need.
    """
    details = described if isinstance(described, dict) else {"default": described}
    default = details.get("default")
    kind = str(details.get("type") or type(default).__name__)
    choices = _choices(details.get("choices"))
    several = bool(details.get("multiselect") and choices)
    if isinstance(default, list):
        default = answer_in_words(default) if several else json.dumps(default)
    return Question(
        name=name,
        help=str(details.get("help") or name),
        default=as_text(default) if "default" in details else None,
        choices=choices,
        validator=str(details.get("validator") or ""),
        type=kind if kind in TYPES else "yaml",
        when=as_text(details.get("when", True)),
        several=several,
        needs={choice: tuple(others) for choice, others in (needs or {}).items()},
    )


def _choices(described: Any) -> dict[str, str]:
    """Each answer with its advice; empty if the choices are templates that Copier renders."""
    if not isinstance(described, dict | list):
        return {}
    pairs = described.items() if isinstance(described, dict) else map(_pair, described)
    choices = {}
    for label, value in pairs:
        answer = as_text(value.get("value") if isinstance(value, dict) else value)
        if is_template(answer):
            return {}
        choices[answer] = "" if str(label) == str(value) else str(label).removeprefix(f"{answer}: ")
    return choices


def _pair(choice: Any) -> tuple[Any, Any]:
    """Label and value of a choice in a list, which may be the value alone."""
    return (choice[0], choice[1]) if isinstance(choice, list) else (choice, choice)


def as_text(value: Any) -> str:
    """A value of YAML as a user would write it: true, 3, off, and a list as serve,sweep."""
    if isinstance(value, list):
        return answer_in_words([as_text(item) for item in value])
    return value if isinstance(value, str) else json.dumps(value, default=str)


def is_template(text: str) -> bool:
    return "{{" in text or "{%" in text


def nearest_question(word: str, questions: Sequence[Question]) -> str:
    """`"; did you mean 'amp'?"` for the question that a wrong name is about, or nothing."""
    import difflib  # 3 ms, for refusals only

    plain = word.lower().strip("-").replace("-", "_")
    spoken = re.compile(rf"\b{re.escape(plain.replace('_', ' '))}s?\b", re.IGNORECASE)
    like = difflib.get_close_matches(plain, [q.name for q in questions], 1, cutoff=0.55)
    about: tuple[Callable[[Question], object], ...] = (
        lambda q: plain in q.name.split("_"),
        lambda q: plain in q.choices,
        lambda q: spoken.search(q.help),
        lambda q: q.name in like,
        lambda q: spoken.search(" ".join(q.choices.values())),
    )
    found = (q.name for fits in about for q in questions if plain and fits(q))
    name = next(found, None)
    return f"; did you mean '{name}'?" if name else ""
