"""What a command line that cannot be read is answered with: the nearest right words."""

import difflib
from typing import Any

import typer

AS_FLAGS = {"version": "--version", "install-completion": "--install-completion"}


def in_words(error: typer.TyperException) -> str:
    """The message of an error of Typer's, with the nearest flag or command where it names one."""
    context: Any = getattr(error, "ctx", None)
    wrong = getattr(error, "option_name", None)
    if wrong and hasattr(error, "possibilities") and context:
        known = [flag for one in context.command.params for flag in one.opts]
        flags = [flag for flag in ("--help", *known) if flag.startswith("--")]
        return f"No such option: {wrong}{_nearest(wrong, flags) or _question(wrong, flags)}"
    message = error.format_message()
    if message.startswith("No such command") and context:
        word = message.split("'")[1]
        if word in AS_FLAGS:
            return f"No such command '{word}'; did you mean '{AS_FLAGS[word]}'?"
        return f"No such command '{word}'{_nearest(word, context.command.commands)}"
    return message


def _nearest(word: str, possible: Any) -> str:
    """What begins like the word, and otherwise what is most like it."""
    bare = {one.removeprefix("--"): one for one in possible}
    word = word.removeprefix("--")
    begins = [one for one in bare if one.startswith(word)]
    found = [min(begins, key=len)] if begins else difflib.get_close_matches(word, bare, 1, 0.65)
    return f"; did you mean '{bare[found[0]]}'?" if found else ""


def _question(word: str, flags: list[str]) -> str:
    """The flag of the question that the word is about."""
    from ..questions.question import nearest_question
    from ..questions.questionnaire import installed

    asked = [question for question in installed().questions if question.flag in flags]
    return nearest_question(word, asked).replace("'", "'--", 1).replace("_", "-")


def complete_at_the_first_tab(scripts: dict[str, str]) -> None:
    """Mend Typer's script for zsh, which at the first Tab of a session only gets ready.

    zsh loads the file when it first needs it, as the function that should complete.
    """
    now = 'if [[ $zsh_eval_context[-1] == loadautofunc ]]; then\n  %(complete_func)s "$@"\nfi\n'
    if "zsh" in scripts and now not in scripts["zsh"]:
        scripts["zsh"] += now


def question_names(incomplete: str) -> list[str]:
    """The questions that begin so, for a shell's completion."""
    return [name for name in _choices() if name.startswith(incomplete)]


def question_and_choices(context: typer.Context, incomplete: str) -> list[str]:
    """For `explain`: the choices of the question that was given."""
    return [
        one for one in _choices().get(context.params["question"], []) if one.startswith(incomplete)
    ]


def assignments(incomplete: str) -> list[str]:
    """For `set`: QUESTION=, and then each QUESTION=CHOICE."""
    name, equals, _ = incomplete.partition("=")
    known = _choices()
    possible = (
        [f"{n}=" for n in known] if not equals else [f"{name}={c}" for c in known.get(name, [])]
    )
    return [one for one in possible if one.startswith(incomplete)]


def extra_names(incomplete: str) -> list[str]:
    """For `add` and `remove`: the extras that begin so."""
    return [name for name in _choices().get("extras", []) if name.startswith(incomplete)]


def _choices() -> dict[str, list[str]]:
    from ..questions.questionnaire import installed

    return {question.name: list(question.choices) for question in installed().questions}
