"""Whether what is on by default is the fastest: optimizer steps with one thing changed at a time.

    python benchmarks/choices.py [--rounds 7] [--device cuda]

Writes its section of benchmarks/README.md.
"""

import argparse
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from drawn import module_of, new_project
from pace import Pace, one_thread, processor, versions
from timing import TRY, write_section
from torch import nn
from torch.nn.functional import cross_entropy
from torch.testing import assert_close

NAME = "chosen"
# height and width of the images, how many in a batch
CASES = ((8, 64),) if TRY else ((8, 64), (32, 64), (224, 8))
SECONDS = 0.5  # of each round
CHECKED = 5  # steps after which all must have the same loss


@dataclass
class Choice:
    """A project's net and optimizer, as they come unless said otherwise."""

    title: str
    layout: torch.memory_format = torch.channels_last
    optimizer: dict[str, bool] = field(default_factory=dict)
    compiled: bool = False
    model: Any = None
    adamw: Any = None
    pace: Pace = field(default_factory=Pace)
    """Of a step, in µs."""

    def build(self, scratch: Path, size: int, device: torch.device) -> None:
        torch.manual_seed(0)
        config = module_of(scratch, NAME, "config").Config(lr=1e-3, width=32, blocks=2)
        classes = [str(number) for number in range(10)]
        facts = module_of(scratch, NAME, "base.facts").Facts(
            classes, (size, size, 3), "uint8", 1, [0.0] * 3, [255.0] * 3, ""
        )
        module = module_of(scratch, NAME, "model")
        model = module.build_model(config, facts)
        module.initialize(model, config)
        self.model = model.to(device, memory_format=self.layout)
        self.adamw = module_of(scratch, NAME, "optim").build_optimizer(config, self.model)
        for group in self.adamw.param_groups:
            group.update(self.optimizer)
        if self.compiled:
            self.model.compile()

    def step(self, images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """One step on images (B, H, W, C) uint8; returns its loss."""
        # the model takes (B, H, W, C) and turns it into (B, C, H, W), which has this layout then
        laid_out = images.permute(0, 3, 1, 2).contiguous(memory_format=self.layout)
        loss = cross_entropy(self.model(laid_out.permute(0, 2, 3, 1)), labels)
        torch.autograd.backward(loss)
        nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.adamw.step()
        self.adamw.zero_grad()
        return loss.detach()

    def turn(self, images: torch.Tensor, labels: torch.Tensor) -> None:
        """One round."""
        began, count = time.perf_counter(), 0
        while time.perf_counter() - began < SECONDS:
            for _ in range(4):
                self.step(images, labels)
            if images.is_cuda:
                torch.cuda.synchronize()
            count += 4
        self.pace.values.append(1e6 * (time.perf_counter() - began) / count)


def choices() -> list[Choice]:
    """The defaults first."""
    return [
        Choice("**as it comes**: channels_last, fused AdamW, not compiled"),
        Choice("PyTorch's usual layout", layout=torch.contiguous_format),
        Choice("AdamW by `foreach`", optimizer={"fused": False, "foreach": True}),
        Choice("AdamW tensor by tensor", optimizer={"fused": False, "foreach": False}),
        Choice("`--compile`", compiled=True),
    ]


def batch_of(size: int, count: int, device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    """Random images (B, H, W, C) uint8 and labels."""
    generator = torch.Generator().manual_seed(0)
    shape = (count, size, size, 3)
    images = torch.randint(256, shape, dtype=torch.uint8, generator=generator)
    return images.to(device), torch.randint(10, (count,), generator=generator).to(device)


def table(scratch: Path, size: int, batch: int, rounds: int, device: torch.device) -> str:
    """A row for each choice, its time over that of the defaults."""
    images, labels = batch_of(size, batch, device)
    found = choices()
    starts = []
    for choice in found:
        choice.build(scratch, size, device)
        began = time.perf_counter()
        losses = [choice.step(images, labels).item() for _ in range(CHECKED)]
        starts.append(time.perf_counter() - began)
        if choice is found[0]:
            expected = losses
        assert_close(losses, expected, rtol=0.01, atol=0.01)
    for _ in range(rounds):
        for choice in found:
            choice.turn(images, labels)
    rows = [
        f"| {size} x {size}, batches of {batch} | time of a step, ratio | µs | lowest to highest "
        f"| the first {CHECKED} steps, s |",
        "|---" * 5 + "|",
    ]
    for choice, start in zip(found, starts, strict=True):
        ratio = choice.pace.against(found[0].pace)
        rows.append(f"| {choice.title} | {ratio} | {choice.pace.cells()} | {start:.1f} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--device", default="cpu")
    given = parser.parse_args()
    one_thread()
    torch.set_num_threads(1)
    device = torch.device(given.device)
    with tempfile.TemporaryDirectory(prefix="torchgen-bench-") as name:
        new_project(Path(name), "hdf5", NAME, "--logger", "none")
        tables = [table(Path(name), *case, given.rounds, device) for case in CASES]
    where = torch.cuda.get_device_name(device) if device.type == "cuda" else processor()
    note = (
        f"{where}; {versions('torch')}. {given.rounds} rounds of half a second in turn, on one "
        "thread of the processor: the project's net of width 32, forward, backward, clipping and "
        f"AdamW, on one batch again and again. After {CHECKED} steps all had the same losses, "
        "within what another order of sums makes of them."
    )
    write_section("choices.py", "Defaults", note, tables)


if __name__ == "__main__":
    main()
