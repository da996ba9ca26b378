"""The version and the answers whose rendering fits a repository best."""

import math
from pathlib import Path

from ..base.errors import UserError
from ..base.project import Project
from ..questions.questionnaire import Questionnaire
from ..template.render import Rendering, render
from .candidates import Version
from .guess import Answers, best, options_of
from .likeness import Fit, Tree, read_tree

# The share of common lines. Measured: other training repositories have 1 %. Projects without their
# tests, a fifth of the other files and a third of the lines still have 35 %, and the right answers
# were found for 35 of 36. Below 30 % every fifth result is wrong, and most updates conflict.
LEAST = 0.3


class Search:
    """Compares renderings with a project; each is rendered once."""

    def __init__(self, project: Project, tree: Tree, scratch: Path) -> None:
        self._project, self._tree, self._scratch = project, tree, scratch
        self._results: dict[tuple[str, ...], tuple[Rendering, Fit]] = {}

    def run(self, versions: list[Version]) -> tuple[Version, Answers]:
        """The version and the answers that fit best, starting from the first version."""
        version, answers = versions[0], self._start(versions[0])
        while True:
            before = version, answers
            version = max([version, *versions], key=lambda one: self._score(one, answers))
            answers = self._answers(version, answers)
            if (version, answers) == before:
                return before

    @property
    def compared(self) -> list[str]:
        """The versions that were rendered."""
        return list(dict.fromkeys(key[0] for key in self._results))

    def _score(self, version: Version, answers: Answers) -> float:
        """How well a version fits; the lowest score if it does not accept the answers."""
        try:
            return self.result(version, answers)[1].score
        except UserError:
            return -math.inf

    def result(self, version: Version, answers: Answers) -> tuple[Rendering, Fit]:
        key = (version.name, *(part for pair in sorted(answers.items()) for part in pair))
        if key not in self._results:
            target = self._scratch / f"try-{len(self._results)}" / self._project.path.name
            target.parent.mkdir()
            typed = Questionnaire(version.folder).typed(answers)
            rendering = render(version.folder, target, typed, version.stamp)
            self._results[key] = rendering, self._tree.fit(read_tree(target))
        return self._results[key]

    def _start(self, version: Version) -> Answers:
        """The likeliest answers. Raises `UserError` if they fit so badly that no others can."""
        options = self._options(version, {})
        start = {name: answers[0] for name, answers in options.items()}
        check_likeness(self._project.path, self.result(version, start)[1], LEAST / 2)
        return start

    def _answers(self, version: Version, start: Answers) -> Answers:
        """The answers that fit a version best."""
        options = self._options(version, start)
        known = {name: answers[0] for name, answers in options.items()}
        questions = Questionnaire(version.folder).questions
        several = [question for question in questions if question.several]
        return best(known, options, several, lambda answers: self.result(version, answers)[1])

    def _options(self, version: Version, known: Answers) -> dict[str, list[str]]:
        asked = Questionnaire(version.folder)
        recorded = {**self._project.answers, **known}
        return options_of(asked, self._tree, self._project.path.name, recorded)


def check_likeness(folder: Path, fit: Fit, least: float = LEAST) -> None:
    if fit.similarity < least:
        raise UserError(
            f"{folder} does not look like a project of this template: only {fit.similarity:.0%} of "
            f"the lines are the same, and updates need {LEAST:.0%} to be useful; write a new "
            "project with torchgen new and move your code there"
        )
