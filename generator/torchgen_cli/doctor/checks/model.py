"""Checks of modules: what is registered, what evaluation changes, what a call returns."""

import ast
import re
from collections.abc import Iterator

from ..file import LOOPS, File, constant, has_keyword, keyword, method
from ..rule import Place, Severity, rule

TRAINED = re.compile(
    r"torch\.nn\.(Linear|LazyLinear|Bilinear|(Lazy)?Conv\w+|Embedding(Bag)?|LSTM|GRU|RNN|\w+Cell|"
    r"(Batch|Layer|Group|Instance|SyncBatch|RMS)Norm\w*|PReLU|MultiheadAttention|Transformer\w*)"
)
WITHOUT = ("affine", "elementwise_affine", "track_running_stats", "requires_grad")
OTHERWISE = r"requires_grad|def parameters|setattr\(self|add_module|register_module"
BATCH_NORM = re.compile(r"torch\.nn\.(Sync)?BatchNorm\w*")


def has_weights(file: File, node: ast.AST, depth: int = 2) -> bool:
    """Whether layers with weights are made below: torch's, or modules of this file."""
    names = {file.dotted(call.func) for call in file.all(ast.Call, within=node)}
    own = [file.modules[name] for name in names if depth and name in file.modules]
    return any(map(TRAINED.fullmatch, names)) or any(has_weights(file, c, depth - 1) for c in own)


def elements(file: File, init: ast.AST, names: set[str], value: ast.expr) -> list[ast.expr]:
    """What is put into a list or dict that is assigned to these names, also later."""
    parts = []
    if isinstance(value, ast.ListComp):
        parts = [value.elt, value.elt]
    elif isinstance(value, ast.List | ast.Dict):
        parts = list(value.values if isinstance(value, ast.Dict) else value.elts)
        for call in file.calls(".append", within=init):
            if file.receiver(call) in names:
                parts += call.args * (2 if file.around(call, *LOOPS) else 1)
    return parts


@rule("TG301")
def modules_in_a_plain_list(file: File) -> Iterator[Place]:
    """Modules in a plain list or dict are not part of the model.

    `parameters()`, `to(device)`, `state_dict()` and `train()` see only what is registered. What a
    plain list or dict holds is not trained, moved or saved.
    Remedy: Use nn.ModuleList, nn.ModuleDict, nn.ParameterList or nn.ParameterDict.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.ModuleList.html

      class Net(nn.Module):
          def __init__(self):
              super().__init__()
    -         self.layers = [nn.Linear(8, 8) for _ in range(3)]
    +         self.layers = nn.ModuleList(nn.Linear(8, 8) for _ in range(3))
    """
    for cls, init in file.methods("__init__"):
        for statement in file.all(ast.Assign, within=init):
            name, kept = file.dotted(statement.targets[0]), file.local_value(statement.value)
            names = {name, file.dotted(statement.value)} - {""}
            parts = elements(file, init, names, kept) if name.startswith("self.") else []
            layers = any(isinstance(one, ast.Call) and has_weights(file, one) for one in parts)
            known = "|".join(map(re.escape, names))
            # handed to nn.ModuleList or nn.Sequential, or one of them chosen
            taken = rf"(Module\w*|Sequential)\(.*({known})\b|= ({known})\[|{OTHERWISE}"
            if layers and len(parts) > 1 and not re.search(taken, ast.unparse(cls)):
                yield statement


@rule("TG302")
def tensor_that_is_no_parameter(file: File) -> Iterator[Place]:
    """This tensor is not a parameter of the model.

    Only a directly assigned `nn.Parameter` is registered. A plain tensor with `requires_grad`, or
    the result of `.to()` or `.cuda()` on a parameter, is not trained, moved or saved.
    Remedy: Assign `nn.Parameter(tensor)`, and move the whole module afterwards.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.parameter.Parameter.html

      class Scale(nn.Module):
          def __init__(self):
              super().__init__()
    -         self.scale = torch.ones(8, requires_grad=True)
    -         self.shift = nn.Parameter(torch.zeros(8)).cuda()
    +         self.scale = nn.Parameter(torch.ones(8))
    +         self.shift = nn.Parameter(torch.zeros(8))
    """
    for _, init in file.methods("__init__"):
        for statement in file.all(ast.Assign, within=init):
            name, value = file.dotted(statement.targets[0]), statement.value
            if not name.startswith("self.") or not isinstance(value, ast.Call):
                continue
            made = file.dotted(value.func)
            plain = constant(keyword(value, "requires_grad")) is True
            plain = plain and made.startswith("torch.") and made != "torch.nn.Parameter"
            inner = value.func.value if method(value) in ("to", "cuda") else None  # type: ignore[attr-defined]
            moved = file.dotted(getattr(inner, "func", None)) == "torch.nn.Parameter"
            moved = moved and "requires_grad=False" not in ast.unparse(value)
            # an optimizer may be given the tensor by name
            given = rf"(\[|params.*|register_parameter\(.*)\w+\.{re.escape(name[5:])}\b"
            if (plain or moved) and not file.project.says(given):
                yield statement


@rule("TG306")
def dropout_in_evaluation(file: File) -> Iterator[Place]:
    """Dropout stays on in evaluation.

    `F.dropout` is on unless the call turns it off; `model.eval()` does not affect it. A dropout
    layer created in `forward` is always new, and so always in training mode.
    Remedy: Pass `training=self.training`, or create an `nn.Dropout` in `__init__`.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.functional.dropout.html

      class Net(nn.Module):
          def forward(self, x):
    -         return F.dropout(x, 0.5)
    +         return F.dropout(x, 0.5, training=self.training)
    """
    for cls in file.modules.values():
        for call in file.all(ast.Call, within=cls):
            made = file.dotted(getattr(call.func, "func", None))
            called = re.fullmatch(r"torch\.nn\.functional\.\w*dropout\w*", file.dotted(call.func))
            off = len(call.args) > 2 or has_keyword(call, "training")
            on = called and not off and constant(keyword(call, "p", 1)) != 0
            if on or re.fullmatch(r"torch\.nn\.\w*Dropout\w*", made):
                code = ast.unparse(cls)  # some leave it on, to sample predictions
                if not re.search(r"(?i)\bif .*training|bayes|monte|mc_?drop|uncertain", code):
                    yield call


@rule("TG308")
def eps_for_momentum(file: File) -> Iterator[Place]:
    """The second argument of a batch norm is `eps`, not the momentum.

    `BatchNorm2d(64, 0.8)` adds 0.8 to every variance, so channels are no longer scaled to one, and
    leaves the momentum at 0.1.
    Remedy: Write `momentum=...` if that is meant.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html

    - norm = nn.BatchNorm2d(64, 0.8)
    + norm = nn.BatchNorm2d(64, momentum=0.2)
    """
    for call in file.all(ast.Call):
        eps = constant(call.args[1]) if len(call.args) > 1 else None
        named = BATCH_NORM.fullmatch(file.dotted(call.func))
        if named and isinstance(eps, float) and eps >= 0.01:
            yield call


@rule("TG309")
def misspelt_requires_grad(file: File) -> Iterator[Place]:
    """This attribute is not `requires_grad`, so nothing is frozen.

    Python silently accepts any name as a new attribute of the tensor.
    Remedy: Write `requires_grad`, or call `requires_grad_(False)`.
    Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#setting-requires-grad

      for parameter in model.backbone.parameters():
    -     parameter.require_grad = False
    +     parameter.requires_grad = False
    """
    wrong = ("require_grad", "require_grads", "requires_grads", "required_grad", "requires_gard")
    for node in file.all(ast.Assign):
        for target in node.targets if constant(node.value) is not True else ():
            stored = isinstance(target, ast.Attribute) and target.attr in wrong
            if stored and not file.dotted(target).startswith("self."):
                yield target


@rule("TG311", Severity.WARNING)
def momentum_of_another_framework(file: File) -> Iterator[Place]:
    """The momentum of a batch norm is the weight of the new batch.

    In torch `momentum` is the weight of the new batch in the running statistics; in Caffe, Keras
    and TensorFlow it is that of the old ones. With 0.9 or 0.99 an evaluation normalizes by little
    more than the last training batch.
    Remedy: Write `momentum=0.1` for what they call 0.9.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.BatchNorm2d.html

    - norm = nn.BatchNorm2d(64, momentum=0.99)
    + norm = nn.BatchNorm2d(64, momentum=0.01)
    """
    for call in file.all(ast.Call):
        given = keyword(call, "momentum", 2)
        if BATCH_NORM.fullmatch(file.dotted(call.func)) and given is not None:
            momentum = constant(file.value(given))
            if isinstance(momentum, float) and 0.9 <= momentum < 1:
                yield call


@rule("TG320")
def layer_made_in_forward(file: File) -> Iterator[Place]:
    """A layer or parameter created in `forward` is never trained.

    Each forward pass creates a new one, with new random weights: no optimizer has them and no
    checkpoint holds them. A batch norm created there has no running statistics either, so it
    normalizes by the batch in evaluation too.
    Remedy: Create the layer in `__init__`, and call it in `forward`.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html

      class Head(nn.Module):
    +     def __init__(self):
    +         super().__init__()
    +         self.out = nn.Linear(8, 2)
          def forward(self, x):
    -         return nn.Linear(8, 2)(x)
    +         return self.out(x)
    """
    for _, forward in file.methods("forward"):
        for call in file.all(ast.Call, within=forward):
            name = file.dotted(call.func)
            if not (TRAINED.fullmatch(name) or name == "torch.nn.Parameter"):
                continue
            statement = file.around(call, ast.Assign)
            target = file.dotted(statement.targets[0]) if statement else ""
            lazy = target.startswith("self.") and file.around(call, ast.If)
            fixed = target and f"{target}.weight" in ast.unparse(forward)
            if not lazy and not fixed and not has_keyword(call, *WITHOUT):
                yield call


OF_TENSORS = ("clamp", "masked_fill", "permute", "unsqueeze", "index_select", "masked_select")
OF_TORCH = (*OF_TENSORS, "clip", "squeeze", "transpose", "reshape", "flatten", "index_fill")


@rule("TG336")
def result_thrown_away(file: File) -> Iterator[Place]:
    """The result of this call is discarded, so the call has no effect.

    Without an underscore at the end of its name, the function returns a new tensor and leaves its
    input unchanged. With one, it changes a copy if a mask selects the elements:
    `x[x > 1].fill_(0)`.
    Remedy: Assign the result, or call the in-place function, such as `clamp_`.
    Source: https://docs.pytorch.org/docs/stable/tensors.html

    - torch.clamp(weight, 1e-6, 1.0)
    - images.unsqueeze(0)
    - images[images > 1].fill_(1)
    + weight = torch.clamp(weight, 1e-6, 1.0)
    + images = images.unsqueeze(0)
    + images[images > 1] = 1
    """
    for statement in file.all(ast.Expr):
        call = statement.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute):
            continue
        owner, name = call.func.value, call.func.attr
        root = file.dotted(owner)
        pure = name in OF_TORCH if root == "torch" else root and name in OF_TENSORS
        pure = pure and (root == "torch" or root.partition(".")[0] not in file.imports)
        copied = isinstance(owner, ast.Subscript) and isinstance(owner.slice, ast.Compare)
        if (pure and not has_keyword(call, "out")) or (copied and name.endswith("_")):
            yield call
