"""Checks of argparse flags."""

import ast
import re
from collections.abc import Iterator

from ..file import File, constant, has_keyword, keyword, words
from ..rule import Place, Severity, rule


def flags(file: File) -> Iterator[tuple[ast.Call, str, str]]:
    """Each `add_argument("--name", ...)`: the call, its long name and its attribute."""
    if file.project.says(r"register\(.type|jsonargparse|configargparse|parse_args\((args=)?\[\]"):
        return  # another kind of parser, or one that reads no command line
    for call in file.calls(".add_argument"):
        names = [str(constant(one)) for one in call.args]
        name = next((one for one in names if one.startswith("--")), "")
        if name:
            dest = keyword(call, "dest")
            attribute = constant(dest) if dest else name.lstrip("-").replace("-", "_")
            yield call, name.lstrip("-"), str(attribute)


@rule("TG310")
def flag_of_type_bool(file: File) -> Iterator[Place]:
    """This flag is true for any value.

    argparse calls `bool` on the string, and any non-empty string is true: `--pretrained False` asks
    for a pretrained model.
    Remedy: Use `action=argparse.BooleanOptionalAction`, or `store_true`.
    Source: https://docs.python.org/3/library/argparse.html#type

      parser = argparse.ArgumentParser()
    - parser.add_argument("--pretrained", type=bool, default=True)
    + parser.add_argument("--pretrained", action=argparse.BooleanOptionalAction, default=True)
    """
    for call, name, _ in flags(file):
        if file.dotted(keyword(call, "type")) == "bool" and not has_keyword(call, "action"):
            yield call, f"--{name}"


NUMERIC = re.compile(
    "lr|batch_size|num_workers|weight_decay|momentum|betas|eps|gamma|step_size|epochs|dropout|p"
    "|num_classes|hidden_size|num_layers|(in|out)_(features|channels)"
)


def is_computed_with(file: File, node: ast.Attribute) -> bool:
    """Whether a string would fail in place of this number."""
    parent = file.parents[node]
    if isinstance(parent, ast.Compare):
        return not isinstance(parent.ops[0], ast.Eq | ast.NotEq | ast.Is | ast.IsNot | ast.In)
    if isinstance(parent, ast.BinOp):
        return not isinstance(parent.op, ast.Mod | ast.Add)
    named = isinstance(parent, ast.keyword) and NUMERIC.fullmatch(parent.arg or "")
    return bool(named) or file.dotted(getattr(parent, "func", None)) in ("range", "min", "max")


@rule("TG313")
def number_without_type(file: File) -> Iterator[Place]:
    """A number passed to this flag is a string.

    Without `type` argparse keeps a string. The default is a number, so the script works until
    somebody uses the flag: then it computes with a string.
    Remedy: Give the flag its `type`.
    Source: https://docs.python.org/3/library/argparse.html#type

      parser = argparse.ArgumentParser()
    - parser.add_argument("--epochs", default=90)
    + parser.add_argument("--epochs", type=int, default=90)
      args = parser.parse_args()
      for epoch in range(args.epochs):
          print(epoch)
    """
    for call, name, attribute in flags(file):
        number = type(constant(keyword(call, "default"))) in (int, float)
        if number and not has_keyword(call, "type", "action"):
            used = [one for one in file.all(ast.Attribute) if one.attr == attribute]
            converted = rf"(int|float|eval)\(\s*\w+\.{re.escape(attribute)}\b"
            computed = any(is_computed_with(file, one) for one in used)
            if computed and not file.project.says(converted):
                yield call, f"--{name}"


NEGATIVE = re.compile(
    r"(^|[-_])(no|not|dis|disable|without|skip|off|un|non|wo|stop|dont|exclude|ignore)|scratch"
)
SWITCH = re.compile(
    r"(use|cuda|gpu|pretrain|shuffle|augment|normali|resume|train|eval|save|load|amp)"
)

TURNS_OFF = re.compile(r"\b(no|not|don'?t|dis\w+|without|turn off|skip|false|off)\b")


@rule("TG314", Severity.WARNING)
def flag_that_turns_off(file: File) -> Iterator[Place]:
    """This flag does not turn on what its name says.

    `store_false` sets the value to False when the flag is passed: `--cuda` runs on the CPU, and
    without it the GPU is used.
    Remedy: Call it `--no-...` with `dest`, or use `action=argparse.BooleanOptionalAction`.
    Source: https://docs.python.org/3/library/argparse.html#action

      parser = argparse.ArgumentParser()
    - parser.add_argument("--pretrained", action="store_false", help="use pretrained weights")
    + parser.add_argument("--no-pretrained", dest="pretrained", action="store_false")
    """
    attributes = [attribute for _, _, attribute in flags(file)]
    for call, name, attribute in flags(file):
        action, helps = (
            constant(keyword(call, "action")),
            words(file.value(keyword(call, "help") or call)),
        )
        kept = name.replace("-", "_") == attribute and attributes.count(attribute) == 1
        negative = NEGATIVE.search(name) or TURNS_OFF.search(helps)
        if kept and action == "store_false" and SWITCH.search(name) and not negative:
            yield call, f"--{name}"
