"""Randomness as a function of what it is for, never of how many draws came before.

Every random number is derived from the seed and a coordinate: (epoch, sample) for the data, (step,
rank) for dropout. So worker count, evaluation, a resume and the number of processes cannot change
what a sample looks like, and a checkpoint needs no generator states.

The mixing is SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
"""

import os
import random
from enum import IntEnum

import numpy as np
import torch

MASK = (1 << 64) - 1


class Stream(IntEnum):
    """Keeps apart what would else share a coordinate."""

    WEIGHTS = 1
    SHUFFLE = 2
    AUGMENT = 3
    DROPOUT = 4
    WORKER = 5
    RANK = 6


def mix(*parts: int) -> int:
    """Hash whole numbers into one of 64 bits; a change in any of them changes half the bits."""
    state = 0
    for part in parts:
        state = (state + (part & MASK) + 0x9E3779B97F4A7C15) & MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & MASK
        state ^= state >> 31
    return state


def mix_each(key: int, values: np.ndarray) -> np.ndarray:
    """`mix(key, v)`'s vectorised sibling: key of 64 bits, values (N,) whole, result (N,) uint64."""
    state = values.astype(np.uint64) + np.uint64((key + 0x9E3779B97F4A7C15) & MASK)
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))


def permutation(key: int, count: int) -> np.ndarray:
    """The numbers 0 .. count-1 in the order that `key` fixes, (count,) int64, on any platform."""
    return np.argsort(mix_each(key, np.arange(count)), kind="stable")


def uniform(key: int, indices: np.ndarray, draws: int) -> np.ndarray:
    """Numbers in [0, 1) for each index, (len(indices), draws) float64, whatever the batch."""
    bits = [mix_each(mix(key, draw), indices) >> np.uint64(11) for draw in range(draws)]
    return np.stack(bits, axis=1) * 2.0**-53  # the 53 bits that a float64 holds


def seed_everything(seed: int) -> None:
    """Seed python, numpy and torch (every device) for this process."""
    random.seed(seed)
    np.random.seed(seed & 0xFFFFFFFF)  # numpy takes 32 bits
    torch.manual_seed(seed)


def seed_dropout(seed: int, device: torch.device) -> None:
    """Seed the generator that dropout on `device` draws from.

    Called once per step, hence the generators themselves: `torch.manual_seed` costs a hundred
    times as much.
    """
    torch.default_generator.manual_seed(seed)
    if device.type == "cuda":
        torch.cuda.default_generators[device.index].manual_seed(seed)
    elif device.type != "cpu":
        torch.manual_seed(seed)


def set_deterministic(enabled: bool) -> None:
    """Choose between the same bits each time (some operations slower) and the fastest kernels."""
    if enabled:
        os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # read when CUDA starts
    if enabled != torch.are_deterministic_algorithms_enabled():  # the call alone takes a second
        torch.use_deterministic_algorithms(enabled)
    torch.backends.cudnn.benchmark = not enabled
