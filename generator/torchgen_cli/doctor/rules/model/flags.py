"""Flags that do not what they look like."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import is_constant, keyword, last_name, walk
from ..checkpoint.in_place import SETTINGS
from ..shared.flag_places import attributes_of
from ..shared.flag_readers import is_left_unread
from ..shared.flag_values import (
    are_set_by_name,
    flag_name,
    is_only_denied,
    long_flag,
    reads_no_command,
)
from ..shared.weights_alone import is_script

# what a user would turn off, or on: where a run is, what is trained, and on which data
ASKED_FOR = re.compile(
    r"(^|_)(cuda|[gt]pus?|device|amp|fp16|bf16|half|(multi|distributed)\w*|memory|resume|save\w*"
    r"|savenii|pre_?train(ed)?|train\w*|no_?val|val\w*|eval\w*|test|freeze|fine_?tun\w*|bias|ema"
    r"|aug(ment\w*)?|flip|crop|rotat\w*|jitter|mixup|cutmix|shuffle|mining|balanced?|data\w*|sbd"
    r"|mini|debug|attn|attention|mask|dropout|\w*norm|(sync_?)?bn|early_stop\w*|warm_?up"
    r"|deterministic|bidirectional|residual)(_|$)",
    re.I,
)
# scripts that do not train, and whose steps are wanted as they are by default
SHOWING = re.compile(
    r"(^|[/_])(export|deploy\w*|demo|detect|convert|visuali[sz]\w*|onnx)[^/]*([/.]|$)", re.I
)
DENIED = re.compile(rb"#.*\b(not|no longer|opposite)\b|#.*n't", re.I)
NEGATIVE = re.compile(
    r"(^|_)(no|not|non|disable|skip|wo|without|dont|off|ignore|exclude|un\w+|freeze|fix|hide|scratch"
    r"|drop|instead|(remov|stop|bypass|omit|avoid|prevent|suppress|discard|turn_off)\w*)(_|$)|^no"
)
ARGPARSE = "https://docs.python.org/3/library/argparse.html"

# what seeds by a text as well; numpy refuses one
TAKE_TEXTS = (
    *("random.seed", "torch.manual_seed"),
    *("torch.cuda.manual_seed", "torch.cuda.manual_seed_all"),
)


@rule(
    "TG313",
    "a number passed to this flag is a string",
    why="""Without `type` argparse keeps a string. The default is a number, so the script works
    until somebody uses the flag: then it compares or computes with a string. It is a hint where the
    value is only part of a string, or a seed that torch and `random` take as a string too.""",
    remedy="give the flag its `type`",
    source=f"{ARGPARSE}#type",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", default=90)  # <--
args = parser.parse_args()
for epoch in range(args.epochs):
    print(epoch)
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--epochs", type=int, default=90)
args = parser.parse_args()
for epoch in range(args.epochs):
    print(epoch)
""",
)
def untyped(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("add_argument", ()):
        default = keyword(call, "default")
        given = {one.arg for one in call.keywords}
        several = default.elts if isinstance(default, ast.List | ast.Tuple) else [default]
        if "nargs" not in given and several != [default]:
            continue  # which is a type of its own
        if given & {"type", "action", "choices", None} or not call.args or not several:
            continue
        if not all(isinstance(one, ast.Constant) and is_number(one.value) for one in several):
            continue
        name = flag_name(call)
        if name and not converted(module, name):
            unsure = is_part_of_texts(module, name) or is_left_unread(module, call)
            unsure = unsure or reads_no_command(module)
            yield Spot(call, long_flag(call), unsure)


def is_number(value: object) -> bool:
    """Whether it is a number, and no truth."""
    return type(value) in (int, float)


def converted(module: Module, name: str) -> bool:
    """Whether the program makes a number of the flag where it reads it."""
    return any(
        isinstance(node, ast.Attribute) and node.attr == name
        for other in module.project.near(module)
        for kind in ("int", "float")
        for call in other.calls.get(kind, ())
        if isinstance(call.func, ast.Name)
        for argument in call.args
        for node in walk(argument)
    )


def is_part_of_texts(module: Module, name: str) -> bool:
    """Whether the flag is read, and each place that does puts it into a text, or seeds by it."""
    places = [
        (other, node)
        for other in module.project.near(module)
        for node in attributes_of(other).get(name, ())
    ]
    return bool(places) and all(goes_into_text(*place) for place in places)


def goes_into_text(module: Module, node: ast.AST) -> bool:
    """Whether a value is formatted or printed, or seeds a generator that takes texts as well."""
    around = module.parents[node]
    if isinstance(around, ast.Tuple):
        around = module.parents[around]
    if isinstance(around, ast.BinOp):
        text = isinstance(around.left, ast.Constant) and isinstance(around.left.value, str)
        return text and isinstance(around.op, ast.Mod)
    if isinstance(around, ast.Call) and module.qualified(around.func) in TAKE_TEXTS:
        return True
    called = isinstance(around, ast.Call) and last_name(around.func) in ("format", "print", "str")
    return called or isinstance(around, ast.FormattedValue)


@rule(
    "TG314",
    "this flag does not turn on what its name says",
    why="""`store_false` sets the value to False when the flag is passed: `--cuda` runs on the CPU,
    and without it the GPU is used. Users get the opposite. `store_true` with the default True has
    no effect, and nothing turns it off. It is a hint where the name does not refer to the device,
    the training, the model or the data, in scripts that export or show something, where a
    comment says that the value means the opposite, and where nothing reads what is always True.""",
    remedy="call it `--no-...` with `dest`, or use `action=argparse.BooleanOptionalAction`",
    source=f"{ARGPARSE}#action",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--pretrained", action="store_false", help="use pretrained weights")  # <--
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--no-pretrained", dest="pretrained", action="store_false")
""",
    severity=Severity.WARNING,
    once=True,
)
def turned_round(module: Module) -> Iterator[Spot]:
    showing = "backward" not in module.calls and SHOWING.search(module.name) is not None
    showing = showing or reads_no_command(module)
    for call in module.calls.get("add_argument", ()):
        flag = long_flag(call)
        name = flag.strip("-").replace("-", "_")
        aside = showing or not ASKED_FOR.search(name)
        if is_always_true(module, call):
            set_later = bool(NEGATIVE.search(name)) or are_set_by_name(module)
            idle = set_later or is_left_unread(module, call)
            yield Spot(call, f"{flag} is always True", aside or idle)
        if is_constant(keyword(call, "action"), "store_false") and keyword(call, "dest") is None:
            told = keyword(call, "help")
            said = str(told.value) if isinstance(told, ast.Constant) else ""
            if (
                name
                and not NEGATIVE.search(name)
                and not NEGATIVE.search(said.lower().replace(" ", "_"))
            ):
                meant = is_handed_on_as_another(module, name) or is_denied(module, name)
                meant = meant or is_only_denied(module, name)
                yield Spot(call, flag, unsure=aside or meant)


def is_handed_on_as_another(module: Module, name: str) -> bool:
    """Whether a flag is given to a parameter of another name, which may be its opposite."""
    return any(
        isinstance(one.value, ast.Attribute) and one.value.attr == name and one.arg != name
        for one in module.keywords
        if one.arg is not None
    )


def is_denied(module: Module, name: str) -> bool:
    """Whether a comment beside a place that reads a flag says that it means the opposite."""
    places = [node.lineno for node in module.attributes if node.attr == name]
    return any(DENIED.search(module.lines[number - 1]) for number in places)


def is_always_true(module: Module, call: ast.Call) -> bool:
    """Whether a flag is on by default, can only be turned on, and has no counterpart."""
    on = is_constant(keyword(call, "action"), "store_true")
    if not on or not is_constant(keyword(call, "default"), True) or keyword(call, "dest"):
        return False
    name = long_flag(call).strip("-").replace("-", "_")
    counterpart = any(
        is_constant(keyword(other, "dest"), name) for other in module.calls["add_argument"]
    )
    if not name or counterpart or "set_defaults" in module.calls:
        return False
    others = [module] if is_script(module) else module.project.near(module)
    return not any(
        target.endswith(f".{name}")
        and target.split(".")[-2].lower() in SETTINGS
        and not is_constant(one.value, True)
        and not reads(one, name)
        for other in others
        for target, statements in other.assigned.items()
        for one in statements
    )


def reads(statement: ast.Assign, name: str) -> bool:
    """Whether a new value depends on the old: `args.cuda = args.cuda and is_available()`."""
    return any(isinstance(n, ast.Attribute) and n.attr == name for n in walk(statement.value))
