"""Random numbers as a pure function of what they are for, not of how many were drawn before.

Each is derived from the seed and a coordinate: (epoch, sample) for the data, the step for dropout.
So the number of workers, an evaluation or a resume cannot change them, and a checkpoint needs no
generator state. The hash is SplitMix64 (Steele et al., Fast Splittable Pseudorandom Number
Generators, 2014).
"""

import os
import random
from enum import IntEnum

import numpy as np
import torch

MASK = (1 << 64) - 1


class Stream(IntEnum):
    """Separates uses that would otherwise share a coordinate."""

    WEIGHTS = 1
    SHUFFLE = 2
    AUGMENT = 3
    DROPOUT = 4
    WORKER = 5


def mix(*parts: int) -> int:
    """Hash integers into one of 64 bits."""
    state = 0
    for part in parts:
        state = (state + (part & MASK) + 0x9E3779B97F4A7C15) & MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
        state ^= state >> 31
    return state


def mix_array(key: int, values: np.ndarray) -> np.ndarray:
    """`mix(key, value)` in spirit for each of values (N,): (N,) uint64."""
    state = values.astype(np.uint64) + np.uint64((key + 0x9E3779B97F4A7C15) & MASK)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def permutation(key: int, count: int) -> np.ndarray:
    """A random order of 0 .. count-1, (count,) int64, the same on every platform."""
    return np.argsort(mix_array(key, np.arange(count)), kind="stable")


def uniform(key: int, indices: np.ndarray, draws: int) -> np.ndarray:
    """Numbers in [0, 1) for each index, (len(indices), draws) float64, whatever the batch."""
    bits = [mix_array(mix(key, draw), indices) >> np.uint64(11) for draw in range(draws)]
    return np.stack(bits, axis=1) * 2.0**-53


def seed_everything(seed: int) -> None:
    """Seed python, numpy and torch (all devices) for this process."""
    random.seed(seed)
    np.random.seed(mix(seed, 1) & 0xFFFFFFFF)
    torch.manual_seed(seed)


def set_deterministic(enabled: bool) -> None:
    """Choose between bit-exact GPU kernels and the fastest ones."""
    if enabled:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when CUDA starts
    torch.use_deterministic_algorithms(enabled)
    torch.backends.cudnn.benchmark = not enabled
