"""Other targets and inputs than classes of images: each an edit of the experiment and the reader."""

import shutil
from pathlib import Path

from .edits import FILES, cut, replace

PREDICTIONS = (
    "        probabilities, classes = activated.max(dim=1)\n"
    "        pairs = zip(classes.tolist(), probabilities.tolist(), strict=True)\n"
    '        return [{"class": self.classes[number], "probability": p} for number, p in pairs]\n'
)
IN_WORDS = "        return f\"{prediction['class']} ({prediction['probability']:.1%})\"\n"
SUMS = (
    "        targets = targets if targets.ndim == 1 else targets.argmax(dim=1)  # the largest share\n"
    '        return {"correct": (outputs.argmax(dim=1) == targets).sum()}\n'
)
METRICS = '        return {"accuracy": sums["correct"].item() / samples}\n'
COUNTS = (
    '    return {"counts": np.bincount(reader.targets, minlength=len(reader.classes)).tolist()}\n'
)
LOSS = (
    '        return F.cross_entropy(outputs, targets, reduction="sum", label_smoothing=smoothing)\n'
)


def multi_label(package: Path) -> None:
    """Targets (N, labels) of 0 and 1: a folder called "a+b" holds images of both labels."""
    replace(
        package / "data" / "storage.py",
        (
            "        self.classes = self._tree.classes\n        self.targets = self._tree.targets\n",
            '        folders = [set(name.split("+")) for name in self._tree.classes]\n'
            "        self.classes = sorted(set().union(*folders))\n"
            "        rows = [[float(label in of) for label in self.classes] for of in folders]\n"
            "        self.targets = np.array(rows, np.float32)[self._tree.targets]\n",
        ),
    )
    replace(
        package / "task.py",
        (
            LOSS,
            "        targets = targets * (1 - smoothing) + smoothing / 2\n"
            "        return F.binary_cross_entropy_with_logits(\n"
            '            outputs, targets.to(outputs), reduction="sum"\n'
            "        )\n",
        ),
        (
            SUMS,
            "        right = (outputs > 0) == (targets > 0.5)  # (B, labels)\n"
            '        return {"correct": right.float().mean(1).sum(), "exact": right.all(1).sum()}\n',
        ),
        (
            METRICS,
            "        return {name: total.item() / samples for name, total in sums.items() "
            'if name != "loss"}\n',
        ),
        ('best = "accuracy"', 'best = "exact"'),
        ("outputs.softmax(dim=1)", "outputs.sigmoid()"),
        (
            PREDICTIONS,
            "        return [dict(zip(self.classes, row, strict=True)) for row in activated.tolist()]\n",
        ),
        (
            IN_WORDS,
            '        return ", ".join(f"{name} {prediction[name]:.1%}" for name in self.classes)\n',
        ),
        ("np.bincount(train.targets, minlength=len(train.classes))", "train.targets.sum(axis=0)"),
        (COUNTS, '    return {"counts": reader.targets.sum(axis=0).tolist()}\n'),
        ("import numpy as np\n", ""),
    )


def segmentation(package: Path) -> None:
    """Targets (N, H, W): bright pixels are told from dark ones."""
    replace(
        package / "data" / "storage.py",
        (
            "        self.classes = self._tree.classes\n        self.targets = self._tree.targets\n",
            '        self.classes = ["dark", "bright"]\n',
        ),
        (
            "        self.shape = height, width, 3\n",
            "        self.shape = height, width, 3\n"
            "        images = self.read(np.arange(len(self)))  # (N, H, W, C)\n"
            "        self.targets = (images.mean(axis=3) > 128).astype(np.int64)\n",
        ),
        ("return len(self.targets)", "return len(self._tree)"),
    )
    cut(package / "augment.py", "        if self.crop:\n", "        return moves\n")
    replace(
        package / "model.py",
        ("self.head = nn.Linear(channels, classes)", "self.head = nn.Conv2d(channels, classes, 1)"),
        ("        x = x.mean(dim=(2, 3))  # (B, 4 * width)\n", ""),
        (
            "        return self.head(self.dropout(x))  # (B, classes)\n",
            "        scores = self.head(self.dropout(x))\n"
            "        return nn.functional.interpolate(scores, images.shape[1:3])\n",
        ),
    )
    replace(
        package / "task.py",
        (
            LOSS,
            "        losses = F.cross_entropy(\n"
            '            outputs, targets, reduction="none", label_smoothing=smoothing\n'
            "        )\n        return losses.mean(dim=(1, 2)).sum()\n",
        ),
        (
            SUMS,
            "        right = (outputs.argmax(dim=1) == targets).float()  # (B, H, W)\n"
            '        return {"correct": right.mean(dim=(1, 2)).sum()}\n',
        ),
        (
            PREDICTIONS,
            '        return [{"bright": share} for share in activated[:, 1].mean((1, 2)).tolist()]\n',
        ),
        (IN_WORDS, "        return f\"{prediction['bright']:.1%} bright\"\n"),
        ("    counts = np.bincount(train.targets, minlength=len(train.classes))\n", ""),
        ("    if not counts.all():\n", "    if not train.targets.any():\n"),
        ("train.classes[int(counts.argmin())]", '"bright"'),
        (COUNTS, '    return {"bright": float(reader.targets.mean())}\n'),
        ("import numpy as np\n", ""),
    )


def text(package: Path) -> None:
    """Inputs (N, 24) int64: the bytes of lines of text, in a format of their own."""
    for name in ("model.py", "augment.py"):
        shutil.copy(FILES / "text" / name, package)
    shutil.copy(FILES / "text" / "storage.py", package / "data")
    replace(
        package / "predict.py",
        (
            "from .data.loose import files_in, read_image\n",
            "from .data.loose import files_in\nfrom .data.storage import encode\n",
        ),
        (
            "read_image(path, trained.facts.shape)",
            'encode(path.read_text(encoding="utf-8"))',
        ),
    )
