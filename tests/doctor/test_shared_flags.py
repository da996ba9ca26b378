"""Flags of a parser that several scripts share."""

from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

PARSER = """
def add_flags(parser):
    parser.add_argument("--lr", type=float, default=0.1)
    parser.add_argument("--epochs", type=int, default=9)
    parser.add_argument("--eval_step", type=int, default=1)
"""
SCRIPT = """
import argparse
import torch
from flags import add_flags
from project import loader, evaluate

parser = argparse.ArgumentParser()
add_flags(parser)
args = parser.parse_args()
torch.manual_seed(0)
model = torch.nn.Linear(3, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=args.lr)
for epoch in range(args.epochs):
    for x, y in loader:
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    if {test}:
        evaluate(model)
"""
READS = "epoch % args.eval_step == 0"


@pytest.mark.parametrize(
    ("test", "command", "shown"),
    [
        ("epoch % 9 == 0", "python large.py --lr 0.01 --eval_step 9", True),
        ("epoch % 9 == 0", "python large.py --lr 0.01 \\\n  --eval_step=9", True),
        ("epoch % 9 == 0", "python large.py --lr 0.01", False),
        ("epoch % 9 == 0", "python large.py --eval_step 1", False),  # as ever
        ("epoch % 9 == 0", "python small.py --eval_step 9", False),
        (READS, "python large.py --eval_step 9", False),
        ("epoch % vars(args)['eval_step'] == 0", "python large.py --eval_step 9", False),
        ("evaluate.is_due(epoch, **vars(args))", "python large.py --eval_step 9", False),
        ("epoch % getattr(args, 'eval_step') == 0", "python large.py --eval_step 9", False),
    ],
)
def test_a_flag_that_only_another_script_reads(
    test: str, command: str, shown: bool, tmp_path: Path
) -> None:
    (tmp_path / "flags.py").write_text(PARSER, encoding="utf-8")
    (tmp_path / "small.py").write_text(SCRIPT.format(test=READS), encoding="utf-8")
    (tmp_path / "large.py").write_text(SCRIPT.format(test=test), encoding="utf-8")
    (tmp_path / "run.sh").write_text(command + "\n", encoding="utf-8")
    found = [(one.file, one.rule, one.line) for one in examine(tmp_path).findings]
    assert [one for one in found if one[1] == "TG418"] == [("flags.py", "TG418", 5)] * shown
