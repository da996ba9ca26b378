"""Checks of the evaluation."""

import ast
import re
from collections.abc import Iterator

from ..file import LOOPS, File, words
from ..rule import Place, Severity, rule

NO_GRAD = re.compile("no_grad|inference_mode|set_grad_enabled")


@rule("TG502", Severity.WARNING)
def graphs_in_evaluation(file: File) -> Iterator[Place]:
    """The evaluation builds autograd graphs.

    Without `no_grad` each batch keeps what a backward pass would need: several times the memory,
    and time, for nothing.
    Remedy: Run it under `torch.no_grad()` or `torch.inference_mode()`.
    Source: https://docs.pytorch.org/docs/stable/notes/autograd.html#locally-disable-grad-doc

    + @torch.no_grad()
      def validate(model, loader):
          model.eval()
          for images, labels in loader:  # <--
              yield (model(images).argmax(1) == labels).sum()
    """
    for block in file.blocks() if file.calls(".eval") else ():
        models: set[str] = set()
        for statement in block:
            if isinstance(statement, ast.Expr) and NO_GRAD.search(words(statement)):
                break
            if isinstance(statement, ast.Expr):
                evals = file.calls(".eval", within=statement)
                models |= {file.receiver(call) for call in evals} - {""}
            if not isinstance(statement, ast.For) or not models:
                continue
            called = {file.dotted(call.func) for call in file.all(ast.Call, within=statement)}
            whole = not any(isinstance(one, ast.Break) for one in statement.body)
            data = whole and re.search("load|iter|data|batch", words(statement.iter))
            if models & called and data and not may_differ(file, statement):
                yield statement
                break


def may_differ(file: File, loop: ast.For) -> bool:
    """Whether a loop may run without gradients, or may need them."""
    function = file.scope(loop)
    withs = [one.items[0] for one in file.above(loop) if isinstance(one, ast.With)]
    around = [*withs, *getattr(function, "decorator_list", [])]
    name = getattr(function, "name", "a file")
    called = rf"({NO_GRAD.pattern})[^\n]*\n(?:[^\n]*\n){{0,12}}?[^\n]*\b{name}\("
    without = any(NO_GRAD.search(words(one)) for one in around) or file.project.says(called)
    inside = re.search(f"{NO_GRAD.pattern}|grad|backward|attack|pgd|fgsm", words(loop))
    return without or inside is not None


@rule("TG503")
def goes_on_in_evaluation_mode(file: File) -> Iterator[Place]:
    """After the first evaluation, training goes on in evaluation mode.

    `eval()` stays in effect until `train()` is called. From the second epoch on there is no
    dropout, and batch norm neither uses nor updates batch statistics.
    Remedy: Call `model.train()` at the start of each epoch.
    Source: https://docs.pytorch.org/docs/stable/generated/torch.nn.Module.html#torch.nn.Module.train

    - model.train()
      for epoch in range(9):
    +     model.train()
          for batch in train_loader:
              optimizer.zero_grad()
              loss_of(model, batch).backward()
              optimizer.step()
          model.eval()  # <--
          print(evaluate(model, val_loader))
    """
    for loop in file.all(*LOOPS):
        steps = any(map(file.is_step, file.all(ast.Call, within=loop)))
        inside = re.search(r"\.training\b|train\w*\(", ast.unparse(loop))
        if file.around(loop, *LOOPS) or not steps or inside:
            continue
        for call in file.calls(".eval", within=loop)[:1]:
            trained = file.calls(".train", within=file.scope(loop))
            before = [one for one in trained if one.lineno < loop.lineno]
            if file.receiver(call) in [file.receiver(one) for one in before] and not call.args:
                yield call
