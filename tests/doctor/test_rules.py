"""Each rule finds what it is for, wherever its page says so, and in other words as well."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine
from torchgen_cli.doctor.rule import MARK, Rule, Severity
from torchgen_cli.doctor.rules import all_rules

from . import cases
from .planted import PLANTED
from .planted_by_readers import PLANTED_BY_READERS

RULES = all_rules()
FAULTS = [*PLANTED, *PLANTED_BY_READERS, *cases.PLANTED]
STATIC = [rule for rule in RULES.values() if rule.bad]


def lines_found(folder: Path, code: str, hints: bool = False) -> set[tuple[str, int]]:
    """(rule, line) of what is found in a project of one file."""
    (folder / "train.py").write_text(code, encoding="utf-8")
    return {(found.rule, found.line) for found in examine(folder, hints).findings}


def marked(code: str) -> set[int]:
    """The numbers of the marked lines."""
    lines = enumerate(code.splitlines(), start=1)
    return {number for number, line in lines if line.endswith(MARK)}


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_the_bad_example_is_found_at_the_marked_lines_and_by_no_other_rule(
    rule: Rule, tmp_path: Path
) -> None:
    hints = rule.severity is Severity.HINT
    if rule.id == "TG101":  # a hint with a newer torch
        (tmp_path / "README.md").write_text("PyTorch 1.6", encoding="utf-8")
    found = lines_found(tmp_path, rule.bad, hints)
    if hints:
        found = {one for one in found if one[0] == rule.id}
    assert marked(rule.bad)
    assert found == {(rule.id, line) for line in marked(rule.bad)}


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_the_good_example_is_fine_by_every_rule(rule: Rule, tmp_path: Path) -> None:
    assert lines_found(tmp_path, rule.good, rule.severity is Severity.HINT) == set()


@pytest.mark.parametrize(("id", "code"), FAULTS, ids=[id for id, _ in FAULTS])
def test_a_planted_fault_is_found(id: str, code: str, tmp_path: Path) -> None:
    found = lines_found(tmp_path, code, hints=True)
    assert {line for rule, line in found if rule == id} == marked(code)


def test_each_rule_has_a_planted_fault() -> None:
    assert {id for id, _ in FAULTS} == {rule.id for rule in STATIC}


@pytest.mark.parametrize("rule", RULES.values(), ids=lambda rule: rule.id)
def test_a_rule_says_all_that_its_page_needs(rule: Rule) -> None:
    assert rule.title[0].islower() or rule.title[0] in "`DT"
    assert not rule.title.endswith(".")
    assert rule.why.endswith(".")
    assert not rule.remedy.endswith(".")
    assert rule.source.startswith("https://")
    assert "\n" not in rule.title + rule.why + rule.remedy


@pytest.mark.parametrize("rule", STATIC, ids=lambda rule: rule.id)
def test_the_good_example_is_python(rule: Rule) -> None:
    compile(rule.good, rule.id, "exec")


def test_weights_that_a_method_of_the_model_saves_are_found_where_it_is_called(
    tmp_path: Path,
) -> None:
    net = """
import torch

class Net(torch.nn.Module):
    def write(self, path):
        torch.save(self.state_dict(), path)

    def read(self, path):
        self.load_state_dict(torch.load(path, map_location="cpu", weights_only=True))

if __name__ == "__main__":
    print(Net())
"""
    train = """
import argparse
import torch
from net import Net
from project import loader, loss_of

parser = argparse.ArgumentParser()
parser.add_argument("--resume", help="weights to go on with")

def main(args):
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    if args.resume:
        net.read(args.resume)
    for epoch in range(90):
        for batch in loader:
            optimizer.zero_grad()
            loss_of(net, batch).backward()
            optimizer.step()
        net.write(f"net-{epoch}.pt")

if __name__ == "__main__":
    main(parser.parse_args())
"""
    for name, code in (("net.py", net), ("train.py", train)):
        (tmp_path / name).write_text(code, encoding="utf-8")
    found = [(one.file, one.rule, one.line) for one in examine(tmp_path).findings]
    assert found == [("train.py", "TG604", 20)]
