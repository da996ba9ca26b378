"""Checks of the training step."""

import ast
import re
from collections.abc import Iterator

from ..file import FUNCTIONS, LOOPS, File, method, words
from ..rule import Place, rule

CLIPPED = re.compile(r"torch\.nn\.utils\.(clip_grad\.)?clip_grad_(norm|value)_?")
ZEROED = r"(zero|reset|clear)_grad|\.grad\s*=|\.zero_\(|[\"']grad[\"']|\.fill_\(0|del .*\.grad\b"


@rule("TG401")
def never_set_to_zero(file: File) -> Iterator[Place]:
    """Gradients are never set to zero.

    `backward` adds to the existing gradients: each step uses the sum of all before it.
    Remedy: Call `optimizer.zero_grad()` once per step.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.optim.Optimizer.zero_grad.html

      for batch in loader:
    +     optimizer.zero_grad()
          loss_of(model, batch).backward()
          optimizer.step()  # <--
    """
    if re.search(ZEROED, file.text):
        return
    for function in (file.tree, *file.all(*FUNCTIONS)):
        calls = [
            call for call in file.all(ast.Call, within=function) if file.scope(call) is function
        ]
        steps = [call for call in calls if file.is_step(call) and file.around(call, *LOOPS)]
        own = any(file.made_by(call.func.value).startswith("torch.optim.") for call in steps)
        trains = steps and "backward" in map(method, calls)
        if trains and (own or not file.project.says(ZEROED)):
            yield steps[0]


def puts_back(file: File, call: ast.Call) -> bool:
    """Whether a function sets gradients itself."""
    return re.search(r"\.grad\b", words(file.scope(call))) is not None


@rule("TG402")
def zeroed_before_the_step(file: File) -> Iterator[Place]:
    """The gradients are set to zero before the step can use them.

    They are zeroed between `backward` and `step`: the step sees only zeros.
    Remedy: Call `zero_grad()` before `backward()`, or after `step()`.
    Source: https://docs.pytorch.org/docs/stable/optim.html

    + optimizer.zero_grad()
      loss.backward()
    - optimizer.zero_grad()
      optimizer.step()
    """
    for calls in file.calls_in_order:
        zeroed: dict[str, ast.Call] = {}  # by the optimizer, since the backward pass
        trained = False
        for call in calls:
            owner = file.receiver(call)
            if method(call) == "backward":
                zeroed, trained = {}, True
            elif method(call) == "zero_grad" and trained:
                zeroed[owner] = call
            elif owner in zeroed and file.is_step(call) and not puts_back(file, call):
                yield zeroed[owner]


@rule("TG403")
def clipped_while_scaled(file: File) -> Iterator[Place]:
    """Gradients are clipped while they are still scaled.

    The scaler multiplies the loss, at first by 65536, so the scaled gradients exceed any limit: the
    step is shorter by that factor, or has no effect.
    Remedy: Call `scaler.unscale_(optimizer)` before clipping.
    Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html

      scaler.scale(loss).backward()
    + scaler.unscale_(optimizer)
      torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)  # <--
      scaler.step(optimizer)
      scaler.update()
    """
    for calls in file.calls_in_order:
        scaled = False
        for call in calls:
            if method(call) == "backward":
                scaled = re.search(r"scaler\w*\.scale\(", words(call.func)) is not None
                scaled = scaled and not re.search("unscale|get_scale", file.text)
            elif file.is_step(call):
                scaled = False
            elif scaled and CLIPPED.fullmatch(file.dotted(call.func)):
                yield call


@rule("TG404")
def scale_never_updated(file: File) -> Iterator[Place]:
    """The scaler's scale is never updated.

    Without `update` the scale keeps its initial value: after an overflow every further step is also
    skipped. `step` may be called only once between two updates.
    Remedy: Call `scaler.update()` after `scaler.step(optimizer)`.
    Source: https://docs.pytorch.org/docs/stable/notes/amp_examples.html

      scaler.scale(loss).backward()
      scaler.step(optimizer)  # <--
    + scaler.update()
    """
    updated = file.project.says(r"(?i)scaler\w*(\[.*\])?\.update\b")
    for call in file.calls(".step"):
        if "scaler" in file.receiver(call).lower() and call.args and not updated:
            yield call


@rule("TG408")
def sum_keeps_the_graph(file: File) -> Iterator[Place]:
    """The sum of the losses keeps the graph of every step.

    The loss holds the graph that computed it. A sum, or a list, of losses keeps the graphs of all
    steps alive, so memory grows with each step.
    Remedy: Add `loss.detach()`, or `loss.item()`, which also waits for the device.
    Source: https://docs.pytorch.org/docs/stable/notes/faq.html

      for batch in loader:
          optimizer.zero_grad()
          loss = loss_of(model, batch)
          loss.backward()
          optimizer.step()
    -     total += loss
    +     total += loss.detach()
    """
    for call in file.calls(".backward"):
        name, loop = file.receiver(call), file.around(call, *LOOPS)
        if not name or not loop or not any(map(file.is_step, file.all(ast.Call, within=loop))):
            continue
        for node in file.all(ast.AugAssign, ast.Call, within=loop):
            if isinstance(node, ast.AugAssign):
                owner, kept = file.dotted(node.target), file.dotted(node.value)
            else:
                owner = file.receiver(node) if method(node) == "append" else ""
                kept = file.dotted(node.args[0]) if node.args else ""
            if not owner or kept != name or owner == name or node.lineno <= call.lineno:
                continue
            between = "\n".join(file.text.split("\n")[call.lineno : node.lineno - 1])
            again = re.search(rf"(?m)^\s*{re.escape(name)}\s*[-+/]?=", between)
            own = re.escape(owner)  # only the last ones are kept, or all of them trained on
            spared = re.search(rf"{own}(\.pop|\[-?\w+:)|maxlen|{own}.*\.backward", file.text)
            if file.around(node, *LOOPS) is loop and not again and not spared:
                yield node


@rule("TG411")
def clipped_without_effect(file: File) -> Iterator[Place]:
    """Gradients are clipped where it has no effect.

    Clipping works only between `backward` and `step`: after the step it is too late.
    Remedy: Clip between `backward()` and `optimizer.step()`.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.utils.clip_grad_norm_.html

      loss.backward()
    + torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
      optimizer.step()
    - torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    """
    for calls in file.calls_in_order:
        done = trained = False
        for call in calls:
            trained = trained or method(call) == "backward"
            if file.is_step(call) and trained:
                done = True
            elif method(call) == "backward":
                done = False
            elif done and CLIPPED.fullmatch(file.dotted(call.func)) and "inf" not in words(call):
                yield call
