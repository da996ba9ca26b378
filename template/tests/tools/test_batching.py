"""Items that wait are answered together, each with its own answer."""

import threading
from collections.abc import Iterator

import pytest

from toy.tools.batching import Batcher

LONG = 30.0  # seconds that no test waits


class Squares:
    """Squares numbers, once it may; remembers the batches. It cannot square a negative one."""

    def __init__(self) -> None:
        self.batches: list[list[int]] = []
        self.may = threading.Event()
        self.may.set()
        self.began = threading.Event()

    def __call__(self, numbers: list[int]) -> list[int]:
        self.batches.append(numbers)
        self.began.set()
        assert self.may.wait(LONG)
        if min(numbers) < 0:
            raise ValueError("a negative number")
        return [number**2 for number in numbers]


@pytest.fixture
def squares() -> Iterator[Squares]:
    function = Squares()
    yield function
    function.may.set()


def test_what_comes_while_a_batch_is_at_work_is_the_next_one_in_order(squares: Squares) -> None:
    batcher = Batcher(squares, max_batch=4, max_wait=0.0)
    squares.may.clear()
    futures = batcher.submit([0])
    assert squares.began.wait(LONG)
    futures += [future for number in range(1, 7) for future in batcher.submit([number])]
    assert batcher.waiting == 6
    squares.may.set()
    assert [future.result(LONG) for future in futures] == [0, 1, 4, 9, 16, 25, 36]
    assert squares.batches == [[0], [1, 2, 3, 4], [5, 6]] and batcher.waiting == 0
    batcher.close()


def test_a_full_batch_waits_for_no_clock_and_another_one_for_its_time(squares: Squares) -> None:
    batcher = Batcher(squares, max_batch=3, max_wait=LONG)
    assert [future.result(LONG / 2) for future in batcher.submit([1, 2, 3])] == [1, 4, 9]
    (alone,) = batcher.submit([4])
    with pytest.raises(TimeoutError):
        alone.result(0.1)
    batcher.close()  # which waits for no others
    assert alone.result(0) == 16
    brief = Batcher(squares, max_batch=3, max_wait=0.05)
    (alone,) = brief.submit([5])
    assert alone.result(LONG) == 25
    brief.close()


def test_a_failure_reaches_its_own_batch_alone(squares: Squares) -> None:
    batcher = Batcher(squares, max_batch=2, max_wait=LONG)
    one, other, *right = batcher.submit([2, -1, 3, 4])
    for future in (one, other):
        with pytest.raises(ValueError, match="a negative number"):
            future.result(LONG)
    assert [future.result(LONG) for future in right] == [9, 16] and not batcher.failed
    bad = batcher.submit([-1, -2])
    assert bad[1].exception(LONG) and batcher.failed
    batcher.close()


def test_what_was_cancelled_is_not_computed(squares: Squares) -> None:
    batcher = Batcher(squares, max_batch=3, max_wait=LONG)
    kept, dropped = batcher.submit([1, 2])
    assert dropped.cancel()
    batcher.submit([3])
    assert kept.result(LONG) == 1 and squares.batches == [[1, 3]]
    batcher.close()


def test_the_end_answers_what_waits_and_takes_no_more(squares: Squares) -> None:
    batcher = Batcher(squares, max_batch=2, max_wait=LONG)
    squares.may.clear()
    futures = batcher.submit([1, 2, 3, 4, 5])
    threading.Timer(0.05, squares.may.set).start()
    batcher.close()
    assert all(future.done() for future in futures)
    assert [future.result() for future in futures] == [1, 4, 9, 16, 25]
    with pytest.raises(RuntimeError, match="closed"):
        batcher.submit([6])
