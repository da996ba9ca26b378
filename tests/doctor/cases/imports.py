"""Imports of what the project does not have."""

PLANTED: list[tuple[str, str]] = [
    (  # a file beside it, one in a folder that is not there, and one that a branch asks for
        "TG007",
        """
import sys

import torch

from . import schedules  # <--
from .metrics.ranking import mean_rank  # <--

if len(sys.argv) > 1:
    from .mixing import mixed  # <--
else:
    mixed = torch.stack

print(mean_rank(mixed([torch.ones(2)])), schedules.warm)
""",
    ),
]

CLEAN: dict[str, str] = {
    "imports that may fail, that type checkers make, and of what a compiler makes": """
from contextlib import suppress
from typing import TYPE_CHECKING

import torch

from . import _C
from .boxes_cuda import overlaps
from .samples_pb2 import Sample

if TYPE_CHECKING:
    from .settings import Settings

try:
    from .fused import FusedAdam
except ImportError:
    FusedAdam = torch.optim.Adam

with suppress(ImportError):
    from .logs import board

def run(settings: "Settings"):
    return FusedAdam, _C, overlaps, Sample, settings
""",
    "imports of what may be installed": """
import torch
from losses.focal import FocalLoss
from utils import AverageMeter

print(AverageMeter(), FocalLoss())
""",
}
