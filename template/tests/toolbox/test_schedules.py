"""The schedules give the rates of torch's own schedulers, as a function of the step."""

import pytest
import torch
from torch.optim import lr_scheduler

from toy.toolbox.schedules import factor
from toy.toolbox.settings import Optimization

STEPS = 60


def rates(settings: Optimization, warmup: int = 0) -> list[float]:
    return [factor(settings, step, warmup, STEPS) for step in range(STEPS)]


def of_torch(scheduler: type, **settings: object) -> list[float]:
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    each = scheduler(optimizer, **settings)
    found = []
    for _ in range(STEPS):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        each.step()
    return found


def test_one_cycle_is_that_of_torch() -> None:
    found = rates(Optimization(schedule="onecycle"), warmup=9)  # which it has no use for
    wanted = of_torch(lr_scheduler.OneCycleLR, max_lr=1.0, total_steps=STEPS, cycle_momentum=False)
    assert found == pytest.approx(wanted, rel=1e-9)


def test_multistep_is_that_of_torch() -> None:
    settings = Optimization(schedule="multistep", milestones=(0.5, 0.8), lr_factor=0.2)
    wanted = of_torch(lr_scheduler.MultiStepLR, milestones=[30, 48], gamma=0.2)
    assert rates(settings) == pytest.approx(wanted, rel=1e-9)


@pytest.mark.parametrize("schedule", ["multistep", "plateau", "constant"])
def test_the_others_rise_first(schedule: str) -> None:
    found = rates(Optimization(schedule=schedule), warmup=10)  # type: ignore[arg-type]
    assert found[:10] == pytest.approx([(step + 1) / 10 for step in range(10)])
    assert set(found[10:30]) == {1.0}
    assert set(found[10:]) == ({1.0, 0.1, 0.1**2} if schedule == "multistep" else {1.0})


def test_past_its_end_one_cycle_stays_where_it_fell_to() -> None:
    settings = Optimization(schedule="onecycle")
    last = factor(settings, STEPS - 1, 0, STEPS)
    assert factor(settings, STEPS + 7, 0, STEPS) == last == pytest.approx(1 / 250_000)
