"""A generated project's own tests notice every rule that is broken."""

from pathlib import Path

import pytest

from matrix.training import copy_of

from .everything import MUTANTS
from .laboratory import Laboratory, Outcome
from .mutant import ROWS, Mutant

pytestmark = pytest.mark.mutants


def test_the_named_tests_pass_where_nothing_is_broken(unbroken: Outcome) -> None:
    bad = sorted({mutant.test for mutant in MUTANTS if not unbroken.passed(mutant.test)})
    assert not bad, f"{bad}\n{unbroken.printed[-5000:]}"


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.id)
def test_a_broken_rule_is_noticed(
    mutant: Mutant, unbroken: Outcome, laboratory: Laboratory, home: Path, tmp_path: Path
) -> None:
    assert unbroken.passed(mutant.test), f"{mutant.test} is no test that passes"
    tree = copy_of(home, tmp_path)
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
