"""Checks of what is saved and loaded."""

import ast
import re
from collections.abc import Iterator

from ..file import LOOPS, File, has_keyword, last, words
from ..rule import Place, Severity, rule

MODEL = re.compile("(.*_)?(model|net|network|generator|discriminator|encoder|decoder|net[GD])")


@rule("TG602", Severity.WARNING)
def whole_module(file: File) -> Iterator[Place]:
    """A whole module is pickled.

    The file holds the path of the class, not the class: it loads only while the code stays as and
    where it is, and not with `weights_only=True`, the default since torch 2.6.
    Remedy: Save `model.state_dict()`.
    Source: https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html

      model = nn.Linear(8, 2)
    - torch.save(model, "model.pt")
    + torch.save(model.state_dict(), "model.pt")
    """
    if file.project.says("weights_only=False"):
        return
    for call in file.calls("torch.save"):
        model = call.args[0] if call.args else call.func
        name, made = last(file.dotted(model)), file.made_by(model)
        layer = re.fullmatch(r"torch\.nn\.[A-Z]\w+", made) or made in file.modules
        other = any(re.search("dict|jit", words(value)) for value in file.values(model))
        used = rf"\b{re.escape(name)}\.(state_dict|parameters|eval|train|cuda|to)\("
        if layer or (MODEL.fullmatch(name) and not other and re.search(used, file.text)):
            yield call


@rule("TG610", Severity.WARNING)
def loaded_onto_the_old_device(file: File) -> Iterator[Place]:
    """Weights are loaded onto the device that they were saved from.

    Without `map_location` each tensor is loaded onto the device that it was saved from. A file from
    a GPU does not load on a machine without one, which this file claims to support.
    Remedy: Pass `map_location="cpu"`; `load_state_dict` copies the weights to the model's device.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html

      device = "cuda" if torch.cuda.is_available() else "cpu"
      model = nn.Linear(8, 2)
    - model.load_state_dict(torch.load("model.pt", weights_only=True))
    + model.load_state_dict(torch.load("model.pt", map_location=device, weights_only=True))
      model.to(device)
    """
    supports = r"""["']cuda(:\d)?["']\s+if\s+.*is_available\(\).*["']cpu["']"""
    needs_gpu = re.search(r"\.cuda\(\)|\.backward\(|torch\.save\(", file.text)
    if not re.search(supports, file.text) or needs_gpu:
        return
    for call in file.calls("torch.load"):
        loads = file.calls(".load_state_dict", within=file.scope(call))
        weights = any(
            call in (one.args[0], file.local_value(one.args[0])) for one in loads if one.args
        )
        on_gpu = any("cuda" in words(getattr(one, "test", None)) for one in file.above(call))
        placed = len(call.args) > 1 or has_keyword(call, "map_location")
        if weights and not on_gpu and not placed:
            yield call


@rule("TG612")
def refused_by_weights_only(file: File) -> Iterator[Place]:
    """Torch 2.6 and newer refuse to load what is saved here.

    Since then `torch.load` accepts only plain containers, tensors and numbers by default. An
    argparse Namespace in the file makes the resume or the evaluation fail with an UnpicklingError.
    Remedy: Save `vars(args)`; for existing files pass `weights_only=False`.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.load.html

      args = argparse.ArgumentParser().parse_args()
      model = nn.Linear(8, 2)
    - torch.save({"model": model.state_dict(), "args": args}, "last.pt")
    + torch.save({"model": model.state_dict(), "args": vars(args)}, "last.pt")
      state = torch.load("last.pt", map_location="cpu")
    """
    project = file.project
    reads = project.says(r"torch\.load\(") and not project.says("weights_only|add_safe_globals")
    if not reads or not project.allows_torch(2, 6):
        return
    for call in file.calls("torch.save"):
        state = file.local_value(call.args[0]) if call.args else call
        for value in getattr(state, "values", []):
            if not isinstance(value, ast.Name):
                continue
            parsed = file.made_by(value).endswith(".parse_args")
            given = value.id in words(getattr(file.scope(value), "args", None)).split(", ")
            given = given and project.says(rf"\b{value.id} = [\w.]+\.parse_args\(\)")
            if parsed or given:
                yield call, f"{value.id} is a Namespace"


@rule("TG613")
def best_by_reference(file: File) -> Iterator[Place]:
    """The best weights are kept by reference, so they keep changing.

    `state_dict()` copies nothing: its tensors are the model's own. The weights kept at the best
    epoch end up as those of the last one, and `load_state_dict` restores nothing.
    Remedy: Keep `copy.deepcopy(model.state_dict())`.
    Source: https://docs.pytorch.org/tutorials/beginner/saving_loading_models.html

      for epoch in range(9):
          score = train_and_evaluate(model)
          if score > best:
    -         best, weights = score, model.state_dict()
    +         best, weights = score, copy.deepcopy(model.state_dict())
      model.load_state_dict(weights)
    """
    for loop in file.all(*LOOPS):
        after = "\n".join(file.text.split("\n")[loop.end_lineno :])
        for call in file.calls(".state_dict", within=loop):
            choice, statement = file.around(call, ast.If), file.around(call, ast.stmt)
            better = choice and re.search("[<>]|best|better|improve", words(choice.test))
            pairs = [(getattr(statement, "targets", [None])[0], getattr(statement, "value", None))]
            if isinstance(pairs[0][0], ast.Tuple) and isinstance(pairs[0][1], ast.Tuple):
                pairs = list(zip(pairs[0][0].elts, pairs[0][1].elts, strict=False))
            for name in (
                re.escape(file.dotted(target)) for target, value in pairs if value is call
            ):
                used = rf"(load_state_dict|torch\.save)\(\s*{name}\b|return\b.*\b{name}\b"
                if better and re.search(used, after):
                    yield call
