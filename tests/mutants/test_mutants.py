"""A generated project's own tests notice every rule that is broken."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from matrix.answers import Answers, name_of, questions
from matrix.training import copy_of

from .conftest import Unbroken
from .everything import MUTANTS
from .laboratory import Laboratory
from .mutant import HOMES, ROWS, Mutant

pytestmark = pytest.mark.mutants

RANKS = "engine/test_distributed.py::"


def tried() -> Iterator[Any]:
    """The first breakage that a test must notice is tried with each commit, more as scheduled.

    What several ranks do takes ten seconds a time: of that, one for each row of the table.
    """
    met = set[object]()
    for mutant in MUTANTS:
        claim = (RANKS, mutant.row) if mutant.test.startswith(RANKS) else mutant.test
        again = [pytest.mark.scheduled] if claim in met else []
        yield pytest.param(mutant, id=mutant.id, marks=again)
        met.add(claim)


@pytest.mark.parametrize("home", HOMES, ids=name_of)
def test_the_named_tests_pass_where_nothing_is_broken(unbroken: Unbroken, home: Answers) -> None:
    outcome = unbroken(home)
    tests = {mutant.test for mutant in MUTANTS if mutant.home == home}
    bad = sorted(test for test in tests if not outcome.passed(test))
    assert not bad, f"{bad}\n{outcome.printed[-5000:]}"


@pytest.mark.parametrize("mutant", list(tried()))
def test_a_broken_rule_is_noticed(
    mutant: Mutant,
    unbroken: Unbroken,
    laboratory: Laboratory,
    homes: dict[str, Path],
    tmp_path: Path,
) -> None:
    before = unbroken(mutant.home)
    assert before.passed(mutant.test), f"{mutant.test} is no test that passes"
    tree = copy_of(homes[name_of(mutant.home)], tmp_path)
    mutant.break_rule(tree)
    after = laboratory.try_out(tree, [mutant.test], mutant.id)
    failures = after.failures(mutant.test)
    said = f"{mutant.rule}\n{mutant.test}\n{after.code} {failures}\n{after.printed[-5000:]}"
    assert failures, f"it survives: {said}"
    assert all(f["when"] == "call" and f["asserted"] for f in failures), f"no assertion: {said}"


@pytest.mark.last
def test_every_rule_is_broken_and_each_choice_has_mutants() -> None:
    assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS)
    assert len({mutant.rule for mutant in MUTANTS}) >= 60
    assert {mutant.row for mutant in MUTANTS} == set(ROWS)
    inhabited = [mutant.home for mutant in MUTANTS]
    for question, choices in questions().items():
        assert {home[question] for home in inhabited} == set(choices), question
