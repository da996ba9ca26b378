"""A generated project, edited as people edit: each fault is found in the file that has it."""

import shutil
from pathlib import Path

import pytest

from torchgen_cli.doctor.examine import examine

PROJECT = "ddp-fp16-imagefolder-none"

# (rule, file of the package, text, what a hasty edit makes of it)
EDITS = [
    ("TG301", "model.py", "self.stem = nn.Sequential(*stem)", "self.stem = [nn.Conv2d(3, 8, 3)]"),
    ("TG303", "model.py", "3, stride, padding=1, bias=False", "3, stride, padding=1"),
    ("TG306", "model.py", "self.dropout(x)", "nn.functional.dropout(x, 0.1)"),
    ("TG304", "task.py", "F.cross_entropy(outputs,", "F.cross_entropy(outputs.softmax(1),"),
    ("TG401", "engine/step.py", "    optimizer.zero_grad()\n", ""),
    (
        "TG403",
        "engine/step.py",
        "    scaler.unscale_(optimizer)  # before clipping",
        "    #",
    ),
    ("TG404", "engine/step.py", "    scaler.update()\n", ""),
    ("TG408", "engine/step.py", "loss.detach()", "loss"),
    (
        "TG410",
        "optim.py",
        "AdamW(groups, lr=lr",
        "AdamW(model.parameters(), weight_decay=config.weight_decay, lr=lr",
    ),
    ("TG502", "engine/evaluation.py", "@torch.no_grad()\n", ""),
    ("TG601", "engine/checkpoint.py", "weights_only=True", "weights_only=False"),
    (
        "TG701",
        "engine/strategy.py",
        "return DistributedDataParallel(\n",
        "return nn.DataParallel(\n",
    ),
    ("TG790", "engine/strategy.py", "gradient_as_bucket_view=", "find_unused_parameters="),
    (
        "TG801",
        "engine/forward.py",
        "torch.autocast(inputs.device.type,",
        "torch.cuda.amp.autocast(True,",
    ),
    (
        "TG801",
        "engine/assemble.py",
        "torch.amp.GradScaler(device.type)",
        "torch.cuda.amp.GradScaler()",
    ),
]


# a project is read in a second or two, so each takes several edits that have nothing in common
TOGETHER = 4


@pytest.mark.parametrize("first", range(TOGETHER))
def test_edits_that_break_rules_are_found_and_nothing_else(
    first: int, trees: dict[str, Path], tmp_path: Path
) -> None:
    project = shutil.copytree(trees[PROJECT], tmp_path / "project")
    edits = EDITS[first::TOGETHER]
    for _, file, text, edit in edits:
        edited = next(project.glob(f"*/{file}"))
        content = edited.read_text(encoding="utf-8")
        assert text in content
        edited.write_text(content.replace(text, edit), encoding="utf-8")
    found = {(one.rule, Path(one.file).name) for one in examine(project, hints=True).findings}
    assert found == {(id, Path(file).name) for id, file, _, _ in edits}
