"""The weights as .safetensors, which say what they belong to, and a model card."""

import json
from pathlib import Path

import torch

from ..base.cli import from_dict, to_dict
from ..base.errors import CheckpointError
from ..config import Config
from ..data.info import DatasetInfo
from ..engine import checkpoint
from ..engine.trained import TrainedModel
from ..engine.trainer import ModelWithLoss
from ..model import build_model
from ..task import Task
from .program import describe

NAME = "model.safetensors"
ABOUT = "about"  # the key of the text within
TASK = "task."  # before the names of a loss's own parameters
CLASSES = 20  # to name in the card


def to_safetensors(trained: TrainedModel) -> bytes:
    """The content of a file; nothing in it is executed."""
    from safetensors.torch import save

    tensors = trained.model.state_dict()
    tensors |= {TASK + name: tensor for name, tensor in trained.task.state_dict().items()}
    # copies: the format has no tensor of two names
    own = {name: tensor.cpu().contiguous().clone() for name, tensor in tensors.items()}
    return save(own, {ABOUT: json.dumps(describe(trained)), "format": "pt"})


def load_safetensors(path: Path, device: torch.device) -> TrainedModel:
    """Read what `export --safetensors` wrote, a file or its folder; raises CheckpointError."""
    path = path / NAME if path.is_dir() else path
    try:
        content = path.read_bytes()
    except OSError as error:
        raise CheckpointError(f"{path} cannot be read: {error.strerror}") from error
    try:
        return from_safetensors(content, device)
    except CheckpointError as error:
        raise CheckpointError(f"{path}: {error}") from error


def from_safetensors(content: bytes, device: torch.device) -> TrainedModel:
    """The inverse of `to_safetensors`; raises CheckpointError."""
    from safetensors.torch import load

    try:
        tensors = load(content)
        length = int.from_bytes(content[:8], "little")
        metadata = json.loads(content[8 : 8 + length]).get("__metadata__", {})
        about = json.loads(metadata.get(ABOUT, "null"))
    except Exception as error:  # the library raises kinds of its own
        raise CheckpointError(f"the file is corrupt: {error}") from error
    if about is None:
        raise CheckpointError("the file has weights alone: start from them by train --init-from")
    config, info = from_dict(Config, about["config"]), from_dict(DatasetInfo, about["dataset"])
    module = ModelWithLoss(build_model(config, info), Task(config, info)).eval()
    module.to(device)
    of_task = {n.removeprefix(TASK): t for n, t in tensors.items() if n.startswith(TASK)}
    of_model = {n: t for n, t in tensors.items() if not n.startswith(TASK)}
    checkpoint.load_weights(module.model, of_model)
    checkpoint.load_weights(module.task, of_task)
    return TrainedModel(module, module.model, module.task, info, config, device)


def changed_settings(config: Config) -> dict[str, object]:
    """The settings that differ from the defaults, without paths."""
    usual, paths = to_dict(Config()), ("data_dir", "run_dir", "init_from", "config")
    own = to_dict(config)
    return {n: v for n, v in own.items() if v != usual[n] and n not in paths}


def model_card(trained: TrainedModel, metrics: dict[str, float], samples: int) -> str:
    """The model card, in Markdown, with the front matter that the Hugging Face Hub reads."""
    info, package = trained.info, __name__.partition(".")[0]
    shape = " x ".join(map(str, info.shape))
    classes = info.classes[:CLASSES] + ["..."] * (len(info.classes) > CLASSES)
    settings = changed_settings(trained.config) or {"all": "the defaults"}
    lines = [
        "---",
        "library_name: pytorch",
        "tags: [pytorch, safetensors]",
        "---",
        f"# {package}",
        "",
        f"A model of {sum(p.numel() for p in trained.model.parameters()):,} parameters. It takes",
        f"inputs (B, {shape}) {info.dtype} as they are stored: normalization is part of it.",
        *([f"Its {len(info.classes)} classes are {', '.join(classes)}."] if classes else []),
    ]
    if metrics:
        lines += ["", "## Results", "", f"On {samples:,} validation samples, by this file:", ""]
        lines += ["| metric | value |", "|---|---|"]
        lines += [f"| {name} | {value:.4f} |" for name, value in metrics.items()]
        lines += ["", "The same samples chose the epoch: expect somewhat less on new ones."]
    lines += [
        "",
        "## Training",
        "",
        f"{info.samples:,} samples, whose fingerprint is `{info.fingerprint}`.",
        "Settings that differ from the defaults:",
        "",
        *(f"- `{name}`: {value}" for name, value in settings.items()),
        "",
        "## Use",
        "",
        f"`python -m {package}.train --init-from {NAME}` starts from these weights. To predict:",
        "",
        "```python",
        "from pathlib import Path",
        "",
        "import torch",
        "",
        f"from {package}.export.weights import load_safetensors",
        "",
        f'trained = load_safetensors(Path("{NAME}"), torch.device("cpu"))',
        f"predictions = trained.predict(torch.zeros({(1, *info.shape)}, dtype=torch.{info.dtype}))",
        "```",
        "",
        f"`python -m {package}.export RUN` writes a program that runs without the project's code:",
        '`torch.export.load("best.pt2").module()(inputs)`.',
        "",
    ]
    return "\n".join(lines)
