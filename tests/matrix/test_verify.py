"""`verify` finds every promise kept in a fresh project, and names the one that an edit broke."""

import json
from pathlib import Path
from typing import NamedTuple

import pytest

from .answers import EACH, PAIR, SETS, Answers, name_of, questions
from .commands import Project, environment
from .renderings import PACKAGE
from .training import copy_of

pytestmark = pytest.mark.smoke

# those of `train`, for the run to judge: small, and with dropout to be drawn alike
VERIFY = ("verify", "--json", "--device", "cpu", "--width", "8", "--dropout", "0.2")


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
        *("resumes", "one resumed from step", {"amp": "off"}, "engine/state.py"),
        *(
            'if state["average"] is not None:\n            if self',
            "if False:\n            if self",
        ),
    ),
    "dropout draws on from wherever the generator stands": Edit(
        *("resumes", "one resumed from step", {"parallelism": "single"}, "engine/trainer.py"),
        *("seed_dropout(mix(self.config.seed, Stream.DROPOUT, step), self.device)", "pass"),
    ),
    "augmentation draws from numpy's global generator": Edit(
        *("repeats", "0 and with 2 data workers", {"amp": "off"}, "augment.py"),
        *(
            "draws = uniform(mix(self.seed, Stream.AUGMENT, epoch), indices, 3)",
            "draws = np.random.random((len(indices), 3))",
        ),
    ),
    "evaluation in training mode": Edit(
        *("counts", "evaluation changed", {"amp": "off"}, "engine/evaluation.py"),
        *("        module.eval()\n", "        module.train()\n"),
    ),
    "each pass takes the mean of its own samples": Edit(
        *("accumulates", "relative errors", {"parallelism": "single", "amp": "off"}),
        *("engine/step.py", "(loss * scale)", "(loss / len(inputs))"),
    ),
    "the gradient is averaged over the processes": Edit(
        *("ranks_agree", "relative errors", {"parallelism": "ddp", "amp": "off"}),
        *("engine/trainer.py", "scale = world_size / config", "scale = 1 / config"),
    ),
    "biases decay": Edit(
        *("groups", "these vectors decay", {"amp": "off"}, "optim.py"),
        *("if is_vector or by_name or parameter in exempt", "if parameter in exempt"),
    ),
    "a part of the model is never used": Edit(
        *("reaches", "no gradient reaches stem.0.weight, ", {"parallelism": "single"}, "model.py"),
        *(
            "x = self.stem(self.normalize(images))",
            "x = self.stem(self.normalize(images)).detach()",
        ),
    ),
    "training halves its inputs, evaluation does not": Edit(
        *("sees_alike", "differently from evaluation", {"parallelism": "single"}),
        *("engine/trainer.py", "        return batches(self.train_loader, self.device)\n"),
        """        for batch in batches(self.train_loader, self.device):
            yield batch._replace(inputs=batch.inputs // 2)
""",
    ),
    "the loss is taken in half precision": Edit(
        *("half_precision", "torch.bfloat16", {"amp": "bf16"}, "engine/forward.py"),
        *("return outputs.float()", "return outputs"),
    ),
    "an overflow is stepped over": Edit(
        *("half_precision", "changed the weights", {"amp": "fp16"}, "engine/step.py"),
        *("    scaler.step(optimizer)", "    optimizer.step()"),
    ),
}


def prepared(tree: Path, images: Path, folder: Path) -> Project:
    """A copy of a project with data, to be edited and verified."""
    project = Project(copy_of(tree, folder), environment(folder / "home"), timeout=300)
    project.run("prepare", "--source", images)
    return project


def edited(edit: Edit, trees: dict[str, Path], images: Path, folder: Path) -> Project:
    """A project with data for the answers of an edit, which is made in it."""
    answers = next(a for a in reversed(SETS) if edit.answers.items() <= a.items())
    project = prepared(trees[name_of(answers)], images, folder)
    path = project.folder / PACKAGE / edit.file
    text = path.read_text(encoding="utf-8")
    assert text.count(edit.old) == 1, f"{edit.file} is no longer what the edit expects"
    path.write_text(text.replace(edit.old, edit.new), encoding="utf-8")
    return project


@pytest.mark.parametrize(
    "answers",
    [pytest.param(a, marks=[] if a in PAIR else pytest.mark.scheduled) for a in EACH],
    ids=map(name_of, EACH),
)
def test_every_promise_holds_in_a_fresh_project(
    answers: Answers, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    project = prepared(trees[name_of(answers)], images, tmp_path)
    certificate = json.loads(project.run(*VERIFY))
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
    project = edited(edit, trees, images, tmp_path)
    certificate = json.loads(project.run(*VERIFY, "--only", edit.breaks, exits=1))
    (check,) = certificate["checks"]
    assert (check["check"], check["holds"]) == (edit.breaks, False)
    assert edit.words in check["seen"], check["seen"]


@pytest.mark.parametrize("parallelism", questions()["parallelism"])
def test_what_verify_cannot_judge_it_says_and_does_not_call_broken(
    parallelism: str, trees: dict[str, Path], images: Path, tmp_path: Path
) -> None:
    check = {"single": "accumulates"}.get(parallelism, "ranks_agree")
    blend = Edit(
        *(check, "changes its inputs", {"parallelism": parallelism, "amp": "off"}),
        *("engine/step.py", "outputs = forward(model, inputs)"),
        "outputs = forward(model, inputs.double().lerp(inputs.flip(0).double(), 0.3))",
    )
    project = edited(blend, trees, images, tmp_path)
    certificate = json.loads(project.run(*VERIFY, "--only", check))
    (found,) = certificate["checks"]
    assert (found["check"], found["holds"]) == (check, None)
    assert blend.words in found["seen"], found["seen"]
    table = project.run(*(part for part in VERIFY if part != "--json"), "--only", check)
    assert f"unsure {check}" in table and "Traceback" not in table
