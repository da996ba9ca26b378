"""A generated project's own tests notice every rule that is broken."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from matrix.answers import name_of
from matrix.training import copy_of

from .everything import MUTANTS
from .laboratory import Laboratory, Outcome
from .mutant import HOMES, ROWS, Mutant

pytestmark = pytest.mark.mutants


@pytest.mark.parametrize("name", HOMES)
def test_the_named_tests_pass_where_nothing_is_broken(
    name: str, unbroken: Callable[[str], Outcome]
) -> None:
    tests = {mutant.test for mutant in MUTANTS if name_of(mutant.home) == name}
    bad = sorted(test for test in tests if not unbroken(name).passed(test))
    assert tests and not bad, f"{bad}\n{unbroken(name).printed[-5000:]}"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_a_broken_rule_is_noticed(
    mutant: Mutant,
    unbroken: Callable[[str], Outcome],
    laboratory: Laboratory,
    homes: Mapping[str, Path],
    tmp_path: Path,
) -> None:
    home = name_of(mutant.home)
    assert unbroken(home).passed(mutant.test), f"{mutant.test} is no test that passes"
    tree = copy_of(homes[home], tmp_path)
    mutant.break_rule(tree)
    after = laboratory.try_out(tree, [mutant.test], mutant.id)
    failures = after.failures(mutant.test)
    said = f"{mutant.rule}\n{mutant.test}\n{after.code} {failures}\n{after.printed[-5000:]}"
    assert failures, f"it survives: {said}"
    assert all(f["when"] == "call" and f["asserted"] for f in failures), f"no assertion: {said}"


def test_every_rule_is_broken_and_each_row_has_mutants() -> None:
    assert len({mutant.id for mutant in MUTANTS}) == len(MUTANTS) >= 60
    assert len({mutant.rule for mutant in MUTANTS}) >= 50
    assert {mutant.row for mutant in MUTANTS} == set(ROWS)
