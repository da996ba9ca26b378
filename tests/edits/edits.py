"""What a researcher does to a generated project first: each edit is right, whatever it changes."""

import shutil
from collections.abc import Callable
from pathlib import Path

FILES = Path(__file__).with_name("files")

Edit = Callable[[Path], None]


def replace(file: Path, *pairs: tuple[str, str]) -> None:
    """Put the second text of each pair where the first one stands, once."""
    text = file.read_text(encoding="utf-8")
    for old, new in pairs:
        assert text.count(old) == 1, f"{text.count(old)} times in {file.name}: {old!r}"
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")


def cut(file: Path, first: str, last: str) -> None:
    """Leave out all from one text to before another."""
    before, _, rest = file.read_text(encoding="utf-8").partition(first)
    file.write_text(before + rest[rest.index(last) :], encoding="utf-8")


def another_model(package: Path) -> None:
    """Another model, with a frozen part, settings of its own, and weights from a file."""
    shutil.copy(FILES / "another_model" / "model.py", package)
    cut(package / "config.py", "    width: int = 32\n", "    image_size: ")
    replace(
        package / "config.py",
        ("import dataclass\n", "import dataclass\nfrom pathlib import Path\n"),
        (
            "    image_size: ",
            '    channels: int = 16\n    """Channels of the model."""\n'
            '    weights: Path | None = None\n    """Weights to start from."""\n\n    image_size: ',
        ),
        ('"accumulate", "width", "blocks")', '"accumulate", "channels")'),
        ('"ema_decay", "dropout")', '"ema_decay")'),
    )


def weighted_loss(package: Path) -> None:
    """The loss of some classes counts more."""
    replace(
        package / "task.py",
        (
            "        self.label_smoothing = config.label_smoothing\n",
            "        self.label_smoothing = config.label_smoothing\n"
            '        self.register_buffer("weight", torch.linspace(0.5, 1.5, len(facts.classes)))\n',
        ),
        (
            'reduction="sum", label_smoothing=smoothing)',
            'weight=self.weight, reduction="sum", label_smoothing=smoothing)',
        ),
    )


def macro_f1(package: Path) -> None:
    """A further metric, made of a matrix of counts, decides which epoch is the best."""
    replace(
        package / "task.py",
        ('best = "accuracy"', 'best = "macro_f1"'),
        (
            '        return {"correct": (outputs.argmax(dim=1) == targets).sum()}\n',
            "        found = outputs.argmax(dim=1)\n"
            "        pairs = torch.bincount(\n"
            "            targets * len(self.classes) + found, minlength=len(self.classes) ** 2\n"
            "        )\n"
            '        return {"correct": (found == targets).sum(), "pairs": pairs}\n',
        ),
        (
            '        return {"accuracy": sums["correct"].item() / samples}\n',
            '        pairs = sums["pairs"].view(len(self.classes), -1)  # (right class, found class)\n'
            "        f1 = 2 * pairs.diagonal() / (pairs.sum(0) + pairs.sum(1)).clamp(min=1)\n"
            '        accuracy = sums["correct"].item() / samples\n'
            '        return {"accuracy": accuracy, "macro_f1": f1.mean().item()}\n',
        ),
    )


def blend(package: Path) -> None:
    """Training images are mixed in pairs, and so are their targets."""
    replace(
        package / "augment.py",
        (
            "self.classes)\n        return images, targets\n",
            "self.classes)\n        if not self.blend:\n"
            "            return images, targets\n"
            "        share = float(torch.distributions.Beta(self.blend, self.blend).sample())\n"
            "        order = torch.randperm(len(images)).to(images.device)\n"
            "        mixed = share * images.float() + (1 - share) * images[order].float()\n"
            "        shares = torch.full_like(targets, share, dtype=torch.float)\n"
            "        return mixed, torch.stack([targets, targets[order], shares], dim=1)\n",
        ),
        (
            "        self.seed, self.crop",
            "        self.blend = config.blend\n        self.seed, self.crop",
        ),
    )
    replace(
        package / "config.py",
        (
            "    seed: int = 0\n",
            '    blend: float = 0.2\n    """Parameter of its shares; 0 turns it off."""\n\n    seed: int = 0\n',
        ),
    )
    replace(
        package / "task.py",
        (
            "        smoothing = self",
            "        if targets.ndim == 2:  # mixed: both classes, and the share of the first\n"
            "            first, second = (self.loss(outputs, targets[:, i].long()) for i in (0, 1))\n"
            "            return targets[0, 2] * first + (1 - targets[0, 2]) * second\n"
            "        smoothing = self",
        ),
        (
            'as sums over the samples."""\n',
            'as sums over the samples."""\n'
            "        targets = targets if targets.ndim == 1 else targets[:, 0].long()\n",
        ),
    )


def sgd(package: Path) -> None:
    """SGD with another schedule, and a rate of its own for the head."""
    replace(
        package / "optim.py",
        (
            '        {"params": decayed, "weight_decay": config.weight_decay},\n',
            '        {"params": decayed[:-1], "weight_decay": config.weight_decay},\n'
            '        {"params": decayed[-1:], "weight_decay": 0.1, "lr": 10 * config.lr},\n',
        ),
        (
            "    return peak * 0.5 * (1.0 + math.cos(math.pi * min(1.0, progress)))\n",
            "    return peak * 0.1 ** math.floor(3 * min(1.0, progress))\n",
        ),
    )
    text = (package / "optim.py").read_text(encoding="utf-8")
    before, _, rest = text.partition("    # one fused kernel")
    after = rest[rest.index("\n\n\n") :]
    build = (
        '    groups = [g for g in groups if g["params"]]\n'
        "    return torch.optim.SGD(groups, lr=config.lr, momentum=0.9, nesterov=True)"
    )
    (package / "optim.py").write_text(before + build + after, encoding="utf-8")


def new_setting(package: Path) -> None:
    """A setting of the user's own."""
    replace(
        package / "config.py",
        (
            "    seed: int = 0\n",
            '    temperature: float = 1.5\n    """Divides the scores."""\n    seed: int = 0\n',
        ),
    )
    replace(
        package / "task.py",
        (
            "        super().__init__()\n",
            "        super().__init__()\n        self.temperature = config.temperature\n",
        ),
        ("outputs.softmax(dim=1)", "(outputs / self.temperature).softmax(dim=1)"),
    )
