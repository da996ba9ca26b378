"""A run that compiles nothing starts without PyTorch's compiler."""

import functools
import inspect
from collections.abc import Callable
from typing import Any

import torch
from torch.optim import Optimizer

METHODS = ("add_param_group", "zero_grad", "state_dict", "load_state_dict")


def skip_compiler() -> None:
    """Keep the optimizers of torch from importing the compiler, which takes a second.

    torch wraps these methods so that the compiler leaves them alone, and imports it to do so. What
    is wrapped is the same code; without it a run starts in three quarters of the time.
    """
    kinds = [Optimizer]
    for kind in kinds:
        kinds += kind.__subclasses__()
        for name in METHODS:
            if name in vars(kind):
                setattr(kind, name, inspect.unwrap(vars(kind)[name]))
        if "step" in vars(kind) and kind is not Optimizer and kind.__module__.startswith("torch."):
            kind.step = without_gradients(inspect.unwrap(kind.step))  # type: ignore[method-assign]


def without_gradients(step: Callable[..., Any]) -> Callable[..., Any]:
    """What torch's own wrapper of `step` does: gradients are for optimizers that ask for them."""

    @functools.wraps(step)
    def wrapped(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        with torch.set_grad_enabled(self.defaults.get("differentiable", False)):
            return step(self, *args, **kwargs)

    return wrapped
