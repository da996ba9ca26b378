"""`verify` finds every promise kept in a fresh project, and names the one that an edit broke."""

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from .answers import EACH, SETS, Answers, name_of
from .commands import Project, environment
from .renderings import PACKAGE
from .training import copy_of

pytestmark = pytest.mark.smoke


class Edit(NamedTuple):
    """A change that someone could make, and the promise that it breaks."""

    breaks: str
    words: str  # of what verify says that it saw
    answers: Answers  # those that matter
    file: str
    old: str
    new: str


EDITS = {
    "the averaged weights are not restored": Edit(
        *("resumes", "one resumed from step", {"amp": "off"}, "state.py"),
        *(
            "if self.average is not None:\n            checkpoint",
            "if False:\n            checkpoint",
        ),
    ),
    "dropout draws on from wherever the generator stands": Edit(
        *("resumes", "one resumed from step", {"parallelism": "single"}, "trainer.py"),
        *("seed_dropout(mix(config.seed, Stream.DROPOUT, step), self.device)", "pass"),
    ),
    "augmentation draws from numpy's global generator": Edit(
        *("repeats", "0 and with 2 data workers", {"amp": "off"}, "augment.py"),
        *(
            "draws = uniform(key, indices, 3)",
            "draws = np.random.random((len(indices), 3)) + 0 * key",
        ),
    ),
    "evaluation in training mode": Edit(
        *("counts", "evaluation changed", {"amp": "off"}, "evaluate.py"),
        *("    model.eval()\n", "    model.train()\n"),
    ),
    "each pass takes the mean of its own samples": Edit(
        *("accumulates", "relative errors", {"parallelism": "single", "amp": "off"}, "step.py"),
        *("scale = 1 / len(batch.labels)", "scale = accumulate / len(batch.labels)"),
    ),
    "the gradient is averaged over the processes": Edit(
        *("ranks_agree", "relative errors", {"parallelism": "ddp", "amp": "off"}, "step.py"),
        *("scale = world_size / batch_size", "scale = 1 / batch_size"),
    ),
    "biases decay": Edit(
        *("groups", "these vectors decay", {"amp": "off"}, "optim.py"),
        *("if is_vector or by_name or parameter in exempt", "if parameter in exempt"),
    ),
    "a part of the model is never used": Edit(
        *("reaches", "3 steps left stem.0.weight, ", {"parallelism": "single"}, "model.py"),
        *("x = self.stem(images)", "x = self.stem(images).detach()"),
    ),
    "training divides by 255, evaluation does not": Edit(
        *("sees_alike", "off what evaluation sees", {"parallelism": "single"}, "trainer.py"),
        *("            self.normalize,\n", "            lambda x: self.normalize(x) / 255,\n"),
    ),
    "the loss is taken in half precision": Edit(
        *("half_precision", "torch.bfloat16", {"amp": "bf16"}, "forward.py"),
        *("return logits.float()", "return logits"),
    ),
    "an overflow is stepped over": Edit(
        *("half_precision", "changed the weights", {"amp": "fp16"}, "step.py"),
        *("    scaler.step(optimizer)", "    optimizer.step()"),
    ),
}


def prepared(tree: Path, images: Path, folder: Path) -> Project:
    """A copy of a project with data, to be edited and verified."""
    project = Project(copy_of(tree, folder), environment(folder / "home"), timeout=300)
    project.run("prepare", "--source", images)
    return project


@pytest.mark.parametrize("answers", EACH, ids=name_of)
def test_every_promise_holds_in_a_fresh_project(
    answers: Answers, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    project = prepared(trees[name_of(answers)], images, tmp_path)
    certificate = json.loads(project.run("verify", "--json", "--device", "cpu"))
    assert certificate["holds"] and certificate["environment"]["packages"]["torch"]
    found = {check["check"]: check["holds"] for check in certificate["checks"]}
    expected = {edit.breaks for edit in EDITS.values() if edit.answers.items() <= answers.items()}
    assert expected <= found.keys() and all(found.values())
    assert not (project.folder / "runs").exists(), "it must leave nothing behind"


@pytest.mark.parametrize("what", EDITS)
def test_an_edit_that_breaks_a_promise_is_named(
    what: str, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    edit = EDITS[what]
    answers = next(a for a in reversed(SETS) if edit.answers.items() <= a.items())
    project = prepared(trees[name_of(answers)], images, tmp_path)
    path = project.folder / PACKAGE / edit.file
    text = path.read_text(encoding="utf-8")
    assert text.count(edit.old) == 1, f"{edit.file} is no longer what the edit expects"
    path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
    command = ("verify", "--only", edit.breaks, "--json", "--device", "cpu")
    certificate: dict[str, Any] = json.loads(project.run(*command, exits=1))
    check = next(iter(certificate["checks"]))
    assert (check["check"], check["holds"]) == (edit.breaks, False)
    assert edit.words in check["seen"], check["seen"]
