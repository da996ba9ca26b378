"""Each check finds what its page and the cases show, at these lines, and nothing else there."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.checks import all_rules
from torchgen_cli.doctor.examine import examine
from torchgen_cli.doctor.rule import MARK, Rule

IMPORTS = """\
import argparse
import copy
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, DistributedSampler
"""
CHECKS = [rule for rule in all_rules().values() if rule.check]
TEXT = Path(__file__).with_name("cases.txt").read_text(encoding="utf-8")
CASES = [part.partition("\n") for part in TEXT.split("\n== ")[1:]]


def lines_found(folder: Path, code: str) -> set[tuple[str, int]]:
    """(rule, line of the code) of what is found in a project of one file."""
    (folder / "train.py").write_text(IMPORTS + code, encoding="utf-8")
    above = IMPORTS.count("\n")
    return {(found.rule, found.line - above) for found in examine([folder]).findings}


@pytest.mark.parametrize("rule", CHECKS, ids=lambda rule: rule.id)
def test_the_bad_example_is_found_where_it_says_and_by_no_other_rule(
    rule: Rule, tmp_path: Path
) -> None:
    assert rule.places()
    assert lines_found(tmp_path, rule.bad()) == {(rule.id, line) for line in rule.places()}


@pytest.mark.parametrize("rule", CHECKS, ids=lambda rule: rule.id)
def test_the_good_example_is_fine_by_every_rule(rule: Rule, tmp_path: Path) -> None:
    compile(rule.good(), rule.id, "exec")
    assert lines_found(tmp_path, rule.good()) == set()


@pytest.mark.parametrize(("head", "_", "code"), CASES, ids=[head for head, _, _ in CASES])
def test_a_case_is_found_where_it_is_marked(head: str, _: str, code: str, tmp_path: Path) -> None:
    rule = head.partition(":")[0]
    marked = [n for n, line in enumerate(code.splitlines(), 1) if line.endswith(MARK)]
    assert lines_found(tmp_path, code) == {(rule, line) for line in marked}


def test_each_check_has_a_case_that_breaks_it_and_one_that_does_not() -> None:
    bad = {head[:5] for head, _, code in CASES if MARK in code}
    good = {head[:5] for head, _, code in CASES if MARK not in code}
    assert bad == good == {rule.id for rule in CHECKS}


@pytest.mark.parametrize("rule", all_rules().values(), ids=lambda rule: rule.id)
def test_a_page_says_all_that_it_needs(rule: Rule) -> None:
    assert rule.title and rule.why.endswith(".") and rule.remedy
    assert rule.source.startswith("https://")


def test_a_version_that_packaging_excludes_is_no_fault(tmp_path: Path) -> None:
    code = "batches = iter(train_loader)\nbatches.next()\n"
    for line, found in (("torch>=1.4,<1.13", 0), ("torch==1.12.1", 0), ("torch>=1.4", 1)):
        (tmp_path / "requirements.txt").write_text(f"numpy\n{line}\n", encoding="utf-8")
        assert len(lines_found(tmp_path, code)) == found
