"""Watches a training command from within: Python imports this file first, by its name.

It writes what it saw to the folder TORCHGEN_WATCH. It draws no random number, changes no tensor
and no argument, and ends the process after 50 optimizer steps.
"""

import atexit
import contextlib
import importlib.util
import json
import os
import random
import sys
import traceback
import weakref
from collections import Counter, defaultdict
from importlib.machinery import PathFinder
from typing import Any

HERE, START = os.path.dirname(os.path.abspath(__file__)), os.getcwd()
STEPS = 50  # of optimizers, after which the process is ended
LIBRARIES = (os.path.dirname(os.__file__), HERE, "<")


def note(name: str, content: Any = None) -> None:
    """Leave a file for the doctor, whole; nothing where the doctor has ended."""
    path = os.path.join(os.environ["TORCHGEN_WATCH"], name)
    with contextlib.suppress(OSError):
        with open(f"{path}.{os.getpid()}", "w", encoding="utf-8") as file:
            json.dump(content, file)
        os.replace(file.name, path)


class AfterTorch:
    """Calls `install` once torch is imported."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name != "torch":
            return None
        sys.meta_path.remove(self)
        spec: Any = importlib.util.find_spec("torch")
        if spec is not None:
            load = spec.loader.exec_module
            spec.loader.exec_module = lambda torch: install(load(torch) or torch)
        return spec


class Watch:
    """What was seen in this process. Parameters are known by their ids."""

    def __init__(self, torch: Any) -> None:
        self.torch, self.steps = torch, 0
        self.loop, self.last = 0, list[Any]()  # a number; the call before: of what, and where
        self.where: Any = None  # of the first step
        self.found: set[tuple[str, Any, str]] = set()  # rule, where, detail
        self.names: dict[int, str] = {}
        self.models: Any = weakref.WeakKeyDictionary()  # their last steps without gradients
        self.optimizers: Any = weakref.WeakKeyDictionary()  # their last steps
        self.owned, self.decayed = set[int](), set[int]()  # parameters of any optimizer
        self.sums: dict[int, list[Any]] = defaultdict(list)  # after each step, until they differ
        self.modes: dict[int, Any] = {}  # since a step: where and in what, or None if in training
        self.calls: Counter[Any] = Counter()  # that no backward pass followed, and in which loop
        self.padding: Any = None  # the row for the sampler that draws now
        self.evaluates = False  # what it draws for

    def write(self, over: bool = False) -> None:
        """Leave a record. Outputs that later steps may use count once the program is over."""
        self.note_samples()
        found = set(self.found)
        still = {key for key, sums in self.sums.items() if len(sums) > 2 and len(set(sums)) == 1}
        lost = still - self.owned
        for rule, keys in ("TG911", still - lost), ("TG912", self.decayed), ("TG918", lost):
            names = sorted({self.names.get(key, "those of a model never seen") for key in keys})
            names[5:] = [f"{len(names) - 5} more"] * (len(names) > 5)
            found |= {(rule, self.where, ", ".join(names))} if names else set()
        for (rule, where, model, step, _), number in self.calls.items():
            if number > 1 and (over or step < min(self.optimizers.values())):
                found.add((rule, where, model))
        record = {"steps": self.steps, "where": self.where, "found": list(found)}
        note(f"process-{os.getpid()}.json", record)

    def note_samples(self, sampler: Any = None) -> None:
        """Keep what was noted, if no step followed; then note a sampler that repeats samples."""
        if self.padding and self.evaluates:
            self.found.add(self.padding)
        self.padding, self.evaluates = None, False
        if sampler is not None and sampler.total_size > len(sampler.dataset):
            text = f"{len(sampler.dataset)} samples on {sampler.num_replicas} processes"
            self.padding = "TG916", user_frame(), text

    def own(self, optimizer: Any) -> None:
        self.owned |= {id(one) for group in optimizer.param_groups for one in group["params"]}

    def after_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.steps, self.loop, self.padding = self.steps + 1, self.loop + 1, None
        self.where = self.where or user_frame()
        self.optimizers[optimizer] = self.steps
        movable = []
        for group in optimizer.param_groups:
            for one in group["params"]:
                if (mode := self.modes.pop(id(one), None)) and one.grad is not None:
                    self.found.add(("TG915", *mode))
                if one.grad is not None and one.ndim <= 1 and group.get("weight_decay"):
                    self.decayed.add(id(one))
                if group.get("lr", 1) and (one.grad is None or one.ndim > 1):  # norms undo biases
                    movable.append(one)
        for model in [list(one.parameters()) for one in self.models]:
            if any(id(one) in self.owned for one in model):
                movable += [p for p in model if p.grad is not None and id(p) not in self.owned]
        for one in movable:
            if one.requires_grad and len(set(self.sums[id(one)])) < 2:
                self.sums[id(one)].append(self.checksum(one))
        self.write()
        if self.steps == STEPS:
            note("done")
            print(end="", flush=True)
            os._exit(0)

    def checksum(self, parameter: Any) -> Any:
        """Numbers that change when the tensor does; where there are none, what equals nothing."""
        with contextlib.suppress(RuntimeError, TypeError, ValueError):
            own = getattr(parameter, "to_local", parameter.detach)().detach()  # of a sharded one
            kind = self.torch.float32 if own.device.type == "mps" else self.torch.float64
            if own.numel():
                return own.norm(dtype=kind).item(), own.sum(dtype=kind).item()
        return object()

    def after_forward(self, module: Any, inputs: Any, output: Any) -> None:
        """Note a call that is no module's, until a gradient comes back from its output."""
        compiling = self.torch.compiler.is_compiling()  # a backward pass: a checkpoint's part again
        where = () if compiling or self.torch._C._current_graph_task_id() != -1 else user_frame()
        if where == () or not (parameters := dict(module.named_parameters())):
            return
        self.names = {id(one): name for name, one in parameters.items()} | self.names
        self.models.setdefault(module, 0)
        keys, parts = list(map(id, parameters.values())), list(module.modules())
        grad, training = self.torch.is_grad_enabled(), any(part.training for part in parts)
        modes = {part.training for part in parts if has_modes(part)}
        self.loop += training and grad and self.last != [id(module), where]
        self.last = [id(module), where]
        who = "TG914" if True in modes else "TG917", where, type(module).__name__
        calls = [(*who, self.steps, self.loop)]
        if training and grad:
            self.modes |= dict.fromkeys(keys)
        else:
            self.evaluates = True
            # once per step it may be a part of training, and so may one model of several
            if self.steps > self.models[module] + 1 and len(self.optimizers) == 1:
                calls.append((*who, -1, -1))
            self.models[module] = self.steps
        leaves = self.torch.utils._pytree.tree_flatten(output)[0]
        nodes = [one.grad_fn for one in leaves if getattr(one, "grad_fn", None)]
        able = not grad or (nodes and any(one.requires_grad for one in parameters.values()))
        if not able or (True not in modes and (training or not grad)):
            return
        self.calls.update(calls)

        def reached(gradients: Any) -> None:
            self.calls.subtract(calls)
            if calls and modes and not training:
                self.modes = dict.fromkeys(keys, (where, who[2])) | self.modes
            calls.clear()

        for node in nodes if grad else ():
            node.register_prehook(reached)


def has_modes(part: Any) -> bool:
    """Whether a layer does something else in evaluation mode: dropout, or a norm with averages."""
    rate = getattr(part, "p" if "Drop" in type(part).__name__ else "dropout", 0)
    return getattr(part, "running_mean", None) is not None or (isinstance(rate, float) and rate > 0)


def user_frame() -> Any:
    """File, line and place of the innermost code of no library; () in `update_bn` or a module."""
    where, calls = None, 0
    for frame, line in traceback.walk_stack(sys._getframe(1)):
        file, name = frame.f_code.co_filename, frame.f_code.co_name
        calls += name == "_call_impl"
        if name == "update_bn" or calls > 1:
            return ()
        if not (where or file.startswith(LIBRARIES) or f"-packages{os.sep}" in file):
            where = os.path.abspath(os.path.join(START, file)), line, frame.f_lasti
    return where


def note_generators(kind: Any) -> None:
    """In a loading process: write down, without a draw, where its generators stand."""
    from torch.utils.data import get_worker_info

    if worker := get_worker_info():
        states = {"python": repr(random.getstate())}
        if "numpy" in sys.modules:
            _, values, *rest = sys.modules["numpy"].random.get_state()
            states["numpy"] = repr((values.tolist(), rest))
        where = {"worker": worker.id, "loader": os.getppid(), "epoch": worker.seed - worker.id}
        note(f"worker-{os.getpid()}.json", where | states)


def after(owner: Any, name: str, see: Any) -> None:
    """Show the first argument of each call of a function, once it has returned."""
    call = getattr(owner, name)

    def shown(*args: Any, **kwargs: Any) -> Any:
        result = call(*args, **kwargs)
        see(args[0])
        return result

    setattr(owner, name, shown)


def install(torch: Any) -> None:
    """Watch optimizers, models and the processes that load data."""
    from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook
    from torch.utils.data import DistributedSampler, dataloader

    watch, owner = Watch(torch), os.getpid()
    note("torch")
    register_optimizer_step_post_hook(watch.after_step)
    torch.nn.modules.module.register_module_forward_hook(watch.after_forward)
    atexit.register(lambda: watch.write(True) if os.getpid() == owner and watch.steps else None)
    after(Optimizer, "add_param_group", watch.own)
    after(DistributedSampler, "__iter__", watch.note_samples)
    after(dataloader._DatasetKind, "create_fetcher", note_generators)


sys.meta_path.insert(0, AfterTorch())
hidden = PathFinder.find_spec("sitecustomize", [p for p in sys.path if os.path.abspath(p) != HERE])
if hidden and hidden.loader:
    hidden.loader.exec_module(importlib.util.module_from_spec(hidden))
