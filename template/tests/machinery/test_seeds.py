"""Randomness is a function of its coordinate: nothing else decides a draw."""

import os
import random

import numpy as np
import pytest
import torch
from toy.base.seeds import (
    Stream,
    mix,
    mix_array,
    permutation,
    seed_everything,
    set_deterministic,
    uniform,
)


def test_mixing_is_the_published_splitmix64() -> None:
    # the first outputs of SplitMix64 from state 0, as its authors print them
    states = [(number * 0x9E3779B97F4A7C15) & (2**64 - 1) for number in range(3)]
    expected = [0xE220A8397B1DCDAF, 0x6E789E6AA1B965F4, 0x06C45D188009454F]
    assert [mix(state) for state in states] == expected


def test_every_part_matters_and_zero_is_a_part() -> None:
    keys = [mix(*parts) for parts in [(), (0,), (0, 0), (0, 1), (1, 0), (1,)]]
    assert len(set(keys)) == len(keys)


def test_each_use_of_randomness_has_numbers_of_its_own() -> None:
    assert len({mix(0, stream) for stream in Stream}) == len(Stream.__members__)


def test_the_vectorized_mix_is_the_plain_one() -> None:
    values = np.array([0, 1, 2**40])
    assert mix_array(0, values).tolist() == [mix(int(value)) for value in values]


def test_a_permutation_holds_each_number_once_and_differs_by_key() -> None:
    first, second = permutation(mix(0, 0), 100), permutation(mix(0, 1), 100)
    assert sorted(first) == sorted(second) == list(range(100))
    assert first.tolist() != second.tolist()


def test_draws_belong_to_the_index_whatever_its_batch() -> None:
    together = uniform(7, np.arange(10), 3)
    alone = np.concatenate([uniform(7, np.array([index]), 3) for index in range(10)])
    assert np.array_equal(together, alone)
    assert (together >= 0).all() and (together < 1).all()
    assert len(np.unique(together)) == together.size


@pytest.mark.parametrize("seed", [0, 2**63 - 1, 2**64 - 1])
def test_seeding_repeats_python_numpy_and_torch(seed: int) -> None:
    def draw() -> tuple[float, float, float]:
        seed_everything(seed)
        return random.random(), float(np.random.rand()), float(torch.rand(()))

    assert draw() == draw()


def test_numpy_and_torch_do_not_draw_the_same() -> None:
    seed_everything(3)  # both have the same generator, so the same seed would show
    assert torch.randint(0, 256, (6,)).tolist() != np.random.randint(0, 256, 6).tolist()
    assert 2**32 * torch.rand(1).item() != pytest.approx(np.random.randint(0, 2**32), abs=300)


def test_the_same_bits_are_asked_for_in_deterministic_mode_and_only_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[bool] = []
    monkeypatch.setattr(torch, "use_deterministic_algorithms", asked.append)
    monkeypatch.setattr(torch.backends.cudnn, "benchmark", False)
    monkeypatch.setenv("CUBLAS_WORKSPACE_CONFIG", "")  # for its value to be put back
    del os.environ["CUBLAS_WORKSPACE_CONFIG"]
    for enabled in (False, True):
        set_deterministic(enabled)
        assert torch.backends.cudnn.benchmark != enabled
    assert asked == [False, True]
    assert os.environ["CUBLAS_WORKSPACE_CONFIG"] in (":4096:8", ":16:8")
