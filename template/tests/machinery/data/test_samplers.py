"""Each sample comes as often as it should, in an order that the seed and the epoch fix."""

from itertools import chain

import numpy as np
import pytest
from toy.base import distributed
from toy.base.errors import DataError
from toy.base.seeds import permutation
from toy.data.loader import EvalSampler, TrainSampler


def sampler_of(samples: int, batch_size: int = 10, seed: int = 0) -> TrainSampler:
    return TrainSampler(samples, batch_size, lambda epoch: permutation(seed + epoch, samples))


def epoch_of(sampler: TrainSampler, epoch: int, first: int = 0) -> list[list[int]]:
    """The batches of an epoch, as lists of indices."""
    sampler.set_position(epoch, first)
    requests = list(sampler)
    assert all(number == epoch for number, _ in requests)
    return [indices.tolist() for _, indices in requests]


def test_an_epoch_has_each_sample_once_but_for_the_last_partial_batch() -> None:
    sampler = sampler_of(103)
    seen = list(chain(*epoch_of(sampler, 0)))
    assert len(seen) == len(set(seen)) == 100
    assert len(sampler) == 10


def test_no_sample_is_left_out_for_good() -> None:
    sampler = sampler_of(19)
    assert {i for epoch in range(20) for i in chain(*epoch_of(sampler, epoch))} == set(range(19))


def test_the_order_is_the_one_that_is_given_for_the_epoch() -> None:
    sampler = TrainSampler(6, 2, lambda epoch: (np.arange(6) + epoch) % 6)
    assert epoch_of(sampler, 1) == [[1, 2], [3, 4], [5, 0]]


def test_a_resumed_epoch_continues_with_the_batches_not_yet_seen() -> None:
    sampler = sampler_of(50)
    assert epoch_of(sampler, 2, first=3) == epoch_of(sampler, 2)[3:]


def test_fewer_samples_than_a_batch_are_refused_with_the_flag() -> None:
    with pytest.raises(DataError, match=r"9 .* give --batch-size 9 or less"):
        sampler_of(9)


@pytest.mark.parametrize("samples", [0, 1, 5, 103])
def test_evaluation_sees_each_sample_exactly_once(samples: int) -> None:
    sampler = EvalSampler(samples, 4)
    seen = [indices.tolist() for _, indices in sampler]
    assert list(chain(*seen)) == list(range(samples))
    assert len(seen) == len(sampler)


@pytest.fixture
def as_rank(monkeypatch: pytest.MonkeyPatch) -> object:
    """A function that makes this process one of several, where the project can have several."""
    monkeypatch.setattr(distributed, "RANK", 1)
    monkeypatch.setattr(distributed, "WORLD_SIZE", 2)
    if len(distributed.shard(np.arange(4))) == 4:
        pytest.skip("this project runs as one process")

    def become(rank: int, world_size: int) -> None:
        monkeypatch.setattr(distributed, "RANK", rank)
        monkeypatch.setattr(distributed, "WORLD_SIZE", world_size)

    return become


@pytest.mark.parametrize("world_size", [1, 2, 3, 4])
def test_the_order_does_not_depend_on_the_number_of_processes(as_rank, world_size: int) -> None:
    as_rank(0, 1)
    whole, ranks = epoch_of(sampler_of(50), 1), []
    for rank in range(world_size):
        as_rank(rank, world_size)
        ranks.append(epoch_of(sampler_of(50), 1))
    assert all(len(batches) == len(whole) for batches in ranks)
    for together, *shares in zip(whole, *ranks, strict=True):
        assert sorted(chain(*shares)) == sorted(together)
        assert all(shares)


@pytest.mark.parametrize("world_size", [1, 2, 3, 4])
@pytest.mark.parametrize("samples", [1, 2, 5, 103])
def test_an_evaluation_counts_each_sample_once_in_as_many_batches_on_each_rank(
    as_rank, samples: int, world_size: int
) -> None:
    seen, lengths = [], set()
    for rank in range(world_size):
        as_rank(rank, world_size)
        sampler = EvalSampler(samples, 4)
        batches = [indices.tolist() for _, indices in sampler]
        lengths |= {len(batches), len(sampler)}
        seen += list(chain(*batches))[: len(sampler.indices)]
        assert all(batches), "a batch without a sample cannot be read"
    assert sorted(seen) == list(range(samples))
    assert len(lengths) == 1
