"""The questions, one after the other in a terminal, with a way back and a last look."""

import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TextIO

from prompt_toolkit.filters import Condition
from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent, merge_key_bindings
from prompt_toolkit.output import create_output
from questionary import Choice, checkbox, select, text
from questionary.question import Question as Prompt

from .answers import Answer, complaint
from .question import Question, as_text
from .questionnaire import Questionnaire

BACK = object()
WRITE = object()
POINTER = 4  # columns before a choice: the pointer and a margin
KEYS = "Enter takes what is suggested, Tab edits it, Esc goes back, Ctrl-C quits."
PATH = Question("path", "Where shall the project go?", "./myproj", {}, "", "str", "true")


class Wizard:
    """Asks what no flag and no `--answers` file has answered."""

    def __init__(
        self,
        questionnaire: Questionnaire,
        collect: Callable[[str], Mapping[str, Answer]],
        refuse_path: Callable[[str], str],
        stream: TextIO,
    ) -> None:
        """`collect` gives the answers for a path; `refuse_path` says what is wrong with a path."""
        self._questionnaire, self._collect = questionnaire, collect
        self._refuse_path, self._stream = refuse_path, stream
        self._output = create_output(stdout=stream)
        self._path, self._given = "", {}  # type: str, Mapping[str, Answer]
        self._answers: dict[str, str] = {}
        self._rows: list[int] = []  # of the screen, which each answer takes

    def ask(self, path: str | None) -> tuple[str, dict[str, Answer]]:
        """The path and all answers. Raises `KeyboardInterrupt`, `EOFError` or `UserError`."""
        asks_path = path is None
        self._set_path(str(PATH.default) if path is None else path)
        number, steps = 0, self._steps(asks_path)
        if not steps:  # all is answered: nothing to look at once more
            return self._path, self._everything()
        self._print(KEYS, "")
        while True:
            if number < len(steps):
                said = self._ask(steps[number], f"{number + 1}/{len(steps)}")
                if said is BACK:
                    self._erase_answer()
                number = max(0, number - 1) if said is BACK else number + 1
            else:
                chosen = self._last_look(asks_path)
                if chosen is WRITE:
                    return self._path, self._everything()
                if chosen is BACK:
                    self._erase_answer()
                    number = max(0, len(steps) - 1)
                elif self._ask(chosen, "change") is not BACK:
                    self._rows[-2:] = [sum(self._rows[-2:])]  # goes with the last answer
            steps = self._steps(asks_path)

    def _everything(self) -> dict[str, Answer]:
        """All answers; what was typed over a file's answer is not from that file."""
        found = {}
        for question, value, _ in self._walk():
            given = self._given.get(question.name)
            origin = given.origin if given and given.text == value else ""
            found[question.name] = Answer(value, origin, True)
        return found

    def _steps(self, asks_path: bool) -> list[Question]:
        """What is asked in turn: no name that the path has given, nothing that is answered."""
        answered = {name for name, answer in self._given.items() if answer.final}
        asked = (q for q in self._asked() if q.name not in answered and not q.of_folder)
        return [*([PATH] if asks_path else []), *asked]

    def _asked(self) -> list[Question]:
        return [question for question, *_ in self._walk()]

    def _walk(self) -> Iterator[tuple[Question, str, dict[str, Any]]]:
        """The questions that these answers lead to; some kinds are left to Copier.

        Each with its answer, or what is suggested, and with the answers before it.
        """
        context: dict[str, Any] = {"_folder_name": os.path.basename(os.path.abspath(self._path))}
        for question in self._questionnaire.questions:
            value = self._answers.get(question.name)
            if value is None and question.name in self._given:
                value = self._given[question.name].text
            own = {} if value is None else {question.name: value}
            if not self._questionnaire.is_asked(question, context | own):
                continue
            if value is None:
                value = self._questionnaire.default(question, context) or ""
            if question.plain or question.choices:
                yield question, value, dict(context)
            context |= self._questionnaire.typed({question.name: value})

    def _at(self, wanted: Question) -> tuple[str, dict[str, Any]]:
        """The answer to a question, or what is suggested, and the answers before it."""
        return next((value, before) for q, value, before in self._walk() if q == wanted)

    def _ask(self, question: Question, number: str) -> object:
        """Ask one question until the answer is valid, or BACK."""
        if question is PATH:
            suggested, answered = self._path, self._path != PATH.default
        else:
            suggested, answered = self._at(question)[0], question.name in self._answers
        rows = 0
        while True:
            message = f"{number}  {question.help}"
            options = question.choices or ({"yes": "", "no": ""} if question.type == "bool" else {})
            if question.type == "bool":
                suggested = "yes" if question.typed(suggested) else "no"
            if question.several:
                said = self._mark(question, message, suggested)
            elif options:
                said = self._choose(message, self._titles(options), suggested)
            else:
                said = self._type(message, suggested, edit=answered)
            if said is BACK:
                self._erase(rows)
                return BACK
            wrong = self._take(question, str(said))
            told = [wrong] if wrong else question.brought(str(said))
            rows += self._print(f"{message} {said}", *told)
            if not wrong:
                self._rows.append(rows)
                return said
            suggested, answered = str(said), True

    def _take(self, question: Question, said: str) -> str:
        """Keep a valid answer; what is wrong with another."""
        if question is PATH:
            wrong = self._refuse_path(said)
            return wrong or self._set_path(said)
        if not said and question.default is None:
            return "An answer is needed: the template has no default."
        wrong = complaint(self._questionnaire, question, said, self._at(question)[1])
        if not wrong:
            self._answers[question.name] = (
                as_text(question.typed(said)) if question.several else said
            )
        return wrong

    def _set_path(self, path: str) -> str:
        self._given, self._path = self._collect(path), path
        return ""

    def _last_look(self, asks_path: bool) -> Any:
        """All answers, before anything is written."""
        width = max(len(question.name) for question in self._asked())
        rows = [
            (q, f"{q.name:<{width}}  {value}{self._origin(q, value)}")
            for q, value, _ in self._walk()
        ]
        if asks_path:
            rows.insert(0, (PATH, f"{'path':<{width}}  {self._path}"))
        choices = [Choice("Write it", WRITE)]
        choices += [Choice(self._wrapped(row, width + 2), question) for question, row in rows]
        message = f"Write the project to {os.path.abspath(self._path)}? Or choose what to change:"
        return self._choose(message, choices, None)

    def _origin(self, question: Question, value: str) -> str:
        given = self._given.get(question.name)
        same = given and given.text == value and given.origin
        return f"  (from {same})" if same else ""

    def _titles(self, options: Mapping[str, str], pointer: int = POINTER) -> list[Choice]:
        width = max(map(len, options)) + 2
        rows = {option: f"{option:<{width}}{advice}".rstrip() for option, advice in options.items()}
        return [Choice(self._wrapped(row, width, pointer), option) for option, row in rows.items()]

    def _wrapped(self, row: str, indent: int, pointer: int = POINTER) -> str:
        """A choice in as many lines as the terminal's width asks for."""
        width = max(20, self._output.get_size().columns - pointer)
        rest = " " * (indent + pointer - 1)
        return textwrap.fill(row, width, subsequent_indent=rest, break_on_hyphens=False)

    def _choose(self, message: str, choices: list[Choice], suggested: str | None) -> object:
        default = next((c for c in choices if c.value == suggested), None)
        message = self._filled(message)
        menu = select(message, choices, default, qmark="", instruction=" ", output=self._output)
        return self._prompt(menu, KeyBindings())

    def _mark(self, question: Question, message: str, suggested: str) -> object:
        """Ask for any number of choices; those suggested are marked."""
        choices = self._titles(question.choices, POINTER + 2)  # for the mark
        marked = question.named(suggested)
        for choice in choices:
            choice.checked = choice.value in marked
        message = self._filled(f"{message} (Space marks, Enter goes on)")
        menu = checkbox(message, choices, qmark="", instruction=" ", output=self._output)
        said = self._prompt(menu, KeyBindings())
        return said if said is BACK else as_text(said)

    def _type(self, message: str, suggested: str, *, edit: bool) -> object:
        """Ask for a line: `suggested` gives way to what is typed, unless it is there to `edit`."""
        line = self._filled(message)
        if "\n" in line or len(line) + len(suggested) >= self._output.get_size().columns - 2:
            line += "\n "
        gray = [("fg:ansibrightblack", suggested)]
        default = suggested if edit else ""
        prompt = text(line, default, qmark="", placeholder=gray, output=self._output)
        bindings = KeyBindings()

        @bindings.add("tab", filter=Condition(lambda: not prompt.application.current_buffer.text))
        def take_to_edit(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text(suggested)

        said = self._prompt(prompt, bindings)
        return said if edit else said or suggested

    def _prompt(self, prompt: Prompt, bindings: KeyBindings) -> object:
        @bindings.add("escape", eager=True)
        def back(event: KeyPressEvent) -> None:
            event.app.exit(result=BACK)

        application = prompt.application
        application.key_bindings = merge_key_bindings(
            [bindings, *filter(None, [application.key_bindings])]
        )
        application.erase_when_done = True  # the answer is printed, without the other choices
        return prompt.unsafe_ask()

    def _filled(self, line: str) -> str:
        return textwrap.fill(line, max(20, self._output.get_size().columns - 2))

    def _print(self, *lines: str) -> int:
        """Print; returns the rows of the screen that it takes."""
        filled = "\n".join(self._filled(line) for line in lines)
        print(filled, file=self._stream, flush=True)
        return filled.count("\n") + 1

    def _erase_answer(self) -> None:
        """Take the last answer off the screen: it is asked for again."""
        self._erase(self._rows.pop() if self._rows else 0)

    def _erase(self, rows: int) -> None:
        if rows:
            self._output.cursor_up(rows)
            self._output.erase_down()
            self._output.flush()
