"""Watches a training command from within: Python imports this file first, by its name.

It writes what it saw to the folder TORCHGEN_WATCH. It draws no random number, changes no tensor
and no argument, and ends the command after TORCHGEN_STEPS optimizer steps.
"""

import atexit
import functools
import hashlib
import importlib.abc
import importlib.util
import inspect
import json
import os
import sys
import sysconfig
from typing import Any

HERE = os.path.dirname(os.path.abspath(__file__))
MODAL = ("Dropout", "BatchNorm", "SyncBatchNorm", "InstanceNorm")  # that a mode changes


def run_the_next_one() -> None:
    """Run the sitecustomize that this file hides, where there is one."""
    for folder in sys.path:
        path = os.path.join(folder, "sitecustomize.py")
        if os.path.abspath(folder) != HERE and os.path.isfile(path):
            spec = importlib.util.spec_from_file_location("hidden_sitecustomize", path)
            assert spec is not None and spec.loader is not None
            spec.loader.exec_module(importlib.util.module_from_spec(spec))
            return


class AfterTorch(importlib.abc.MetaPathFinder):
    """Calls `install` once torch is imported."""

    def find_spec(self, name: str, path: Any, target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec = importlib.util.find_spec("torch")
        if spec is not None and spec.loader is not None:
            load = spec.loader.exec_module

            def exec_module(module: Any) -> None:
                load(module)
                install(module)

            setattr(spec.loader, "exec_module", exec_module)  # noqa: B010  # of this one loader
        return spec


class Watch:
    """What was seen in this process."""

    def __init__(self, folder: str, most: int) -> None:
        self.folder, self.most = folder, most
        self.steps = 0
        self.where: str | None = None
        # by a parameter's id: a checksum, its name, whether it decays though a vector
        self.first: dict[int, Any] = {}
        self.names: dict[int, str] = {}
        self.decayed: dict[int, bool] = {}
        self.moved: set[int] = set()
        self.able: set[int] = set()  # to change: at a rate above 0
        self.trained: set[int] = set()
        self.modes: dict[str, list[Any]] = {}
        self.padding: list[Any] | None = None  # of the sampler that draws now: what, where
        self.evaluates = False  # what it draws for
        self.padded: list[list[Any]] = []
        self.depth = 0

    def write(self) -> None:
        """Leave a record for the doctor."""
        self.after_samples()
        still = sorted(self.able - self.moved, key=lambda one: self.names.get(one, ""))
        record = {
            "steps": self.steps,
            "where": self.where,
            "still": [self.names.get(one, "a parameter without a name") for one in still],
            "decayed": sorted(self.names.get(o, "?") for o, d in self.decayed.items() if d),
            "modes": self.modes,
            "padded": self.padded,
        }
        path = os.path.join(self.folder, f"process-{os.getpid()}.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(record, file)

    def before_samples(self, sampler: Any) -> None:
        """Note a sampler that fills up its share with samples that others have, too."""
        self.after_samples()
        samples, processes = len(sampler.dataset), sampler.num_replicas
        if sampler.total_size > samples:
            self.padding = [f"{samples} samples on {processes} processes", user_frame()]

    def after_samples(self) -> None:
        """Keep what was noted, if no step was taken, so that it was an evaluation."""
        if self.padding and self.evaluates and self.padding not in self.padded:
            self.padded.append(self.padding)
        self.padding, self.evaluates = None, False

    def before_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.padding = None
        self.where = self.where or user_frame()
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                key = id(parameter)
                if key not in self.first:
                    self.first[key] = checksum(parameter)
                    decays = bool(group.get("weight_decay")) and parameter.ndim <= 1
                    self.decayed[key] = decays
                    self.trained.add(key)
                if group.get("lr") and parameter.requires_grad:
                    self.able.add(key)

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.steps += 1
        for group in optimizer.param_groups:
            for parameter in group["params"]:
                key = id(parameter)
                if key not in self.moved and checksum(parameter) != self.first[key]:
                    self.moved.add(key)
        if self.steps == self.most:
            self.write()
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)

    def before_forward(self, module: Any, inputs: Any) -> None:
        self.depth += 1
        if self.depth > 1:
            return
        import torch

        for name, parameter in module.named_parameters():
            self.names.setdefault(id(parameter), name)
        parts = [p for p in module.modules() if type(p).__name__.startswith(MODAL)]
        grad = torch.is_grad_enabled()
        self.evaluates = self.evaluates or not grad
        if parts and not grad and any(part.training for part in parts):
            self.modes.setdefault(
                "evaluated in training mode", [type(module).__name__, user_frame()]
            )
        mine = self.trained and any(id(p) in self.trained for p in module.parameters())
        if parts and grad and mine and not any(part.training for part in module.modules()):
            self.modes.setdefault(
                "trained in evaluation mode", [type(module).__name__, user_frame()]
            )

    def after_forward(self, module: Any, inputs: Any, output: Any) -> None:
        self.depth -= 1


def checksum(parameter: Any) -> Any:
    """Numbers that change when the tensor does."""
    values = parameter.detach()
    if values.is_complex() or values.numel() == 0:
        return values.numel()
    values = values.double()
    return values.sum().item(), values.square().sum().item()


def user_frame() -> str | None:
    """`file:line` of the innermost code that belongs to no library."""
    libraries = (sysconfig.get_path("stdlib"), sysconfig.get_path("purelib"), HERE, "<")
    frame: Any = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith(libraries) and "site-packages" not in file:
            return f"{os.path.abspath(file)}:{frame.f_lineno}"
        frame = frame.f_back
    return None


def install(torch: Any) -> None:
    """Watch optimizers, models and the processes that load data."""
    folder = os.environ["TORCHGEN_WATCH"]
    watch = Watch(folder, int(os.environ.get("TORCHGEN_STEPS", "0")))
    import torch.optim.optimizer as optimizers
    from torch.nn.modules.module import (
        register_module_forward_hook,
        register_module_forward_pre_hook,
    )
    from torch.utils.data import DistributedSampler
    from torch.utils.data._utils import worker

    optimizers.register_optimizer_step_pre_hook(watch.before_step)
    optimizers.register_optimizer_step_post_hook(watch.after_step)
    register_module_forward_pre_hook(watch.before_forward)
    register_module_forward_hook(watch.after_forward, always_call=True)
    owner = os.getpid()
    atexit.register(lambda: watch.write() if os.getpid() == owner and watch.steps else None)
    worker._worker_loop = watched(worker._worker_loop, folder)
    draw = DistributedSampler.__iter__

    def drawn(sampler: Any) -> Any:
        watch.before_samples(sampler)
        return draw(sampler)

    DistributedSampler.__iter__ = drawn  # type: ignore[method-assign]


def watched(loop: Any, folder: str) -> Any:
    """The loop of a loading process, which first says what its generators hold."""
    signature = inspect.signature(loop)

    @functools.wraps(loop)
    def begin(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        own = given.arguments.get("init_fn")

        def init(number: int) -> None:
            if own is not None:
                own(number)
            note_generators(folder, number, given.arguments.get("base_seed"))

        given.arguments["init_fn"] = init
        return loop(*given.args, **given.kwargs)

    return begin


def note_generators(folder: str, number: int, base_seed: Any) -> None:
    """Write down, without a draw, where the generators of this process stand."""
    import random

    states = {"python": repr(random.getstate())}
    if "numpy" in sys.modules:
        kept = sys.modules["numpy"].random.get_state()
        states["numpy"] = repr((kept[0], kept[1].tobytes(), kept[2:]))
    hashes = {name: hashlib.sha256(text.encode()).hexdigest() for name, text in states.items()}
    record = {"parent": os.getppid(), "worker": number, "iterator": base_seed, **hashes}
    path = os.path.join(folder, f"worker-{os.getpid()}.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump(record, file)


sys.meta_path.insert(0, AfterTorch())
run_the_next_one()
