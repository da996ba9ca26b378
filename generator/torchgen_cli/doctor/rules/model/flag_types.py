"""Types of argparse flags that read a text as something else than whoever gives it."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import FUNCTIONS, is_constant, keyword, mentions, parameters, written
from ..shared.flag_places import attributes_of
from ..shared.flag_readers import flag_names, is_left_unread
from ..shared.flag_reads import is_read
from ..shared.flag_values import are_set_by_name, reads_no_command, reads_truths
from ..shared.scripts import is_started, reachable


@rule(
    "TG310",
    "this flag is true for any value",
    why="""argparse calls `bool` on the string, and any non-empty string is true: `--pretrained
    False` asks for a pretrained model. A flag without a type, or with `type=str`, keeps the string,
    which is also true. It is a hint where no value of the flag changes anything, as where a
    function sets it to what it finds, and for a switch that a script without torch documents as
    `True`.""",
    remedy="""use `action=argparse.BooleanOptionalAction`, or `store_true`; if users pass `--flag
    True`, parse the word: `type=lambda word: word.lower() == "true"`""",
    source="https://docs.python.org/3/library/argparse.html#type",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--pretrained", type=bool, default=True)  # <--
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--pretrained", action=argparse.BooleanOptionalAction, default=True)
""",
    once=True,
)
def boolean_text(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("add_argument", ()):
        if is_switch(call):
            continue  # which takes no value
        if written(keyword(call, "type") or call) == "bool" and not reads_truths(module):
            idle = is_left_unread(module, call) or changes_nothing(module, call)
            given = is_given_as_true(module, call) or reads_no_command(module)
            yield Spot(call, unsure=idle or given)
        elif is_text_for_truth(module, call):
            unsure = changes_nothing(module, call)
            yield Spot(call, "the string is tested for truth", unsure)


def is_switch(call: ast.Call) -> bool:
    """Whether a flag has an action of its own, such as `store_true`: it takes no value."""
    action = keyword(call, "action")
    return action is not None and not is_constant(action, "store")


def is_given_as_true(module: Module, call: ast.Call) -> bool:
    """Whether a script without torch says that its flag, off by default, is turned on by `True`.

    Or that an empty text turns it off.
    """
    told = keyword(call, "help")
    if told is not None and mentions(told, "empty str"):
        return True
    off = is_constant(keyword(call, "default"), False)
    return off and "torch" not in module.libraries and told is not None and mentions(told, "true")


def changes_nothing(module: Module, call: ast.Call) -> bool:
    """Whether the flag is read, and each place that does makes nothing of it."""
    places = uses(module, call)
    idle = not any(
        is_read(other, node) and not is_passed_over(other, node) for other, node in places
    )
    return bool(places) and (idle or is_settled(module, call))


def is_settled(module: Module, call: ast.Call) -> bool:
    """Whether a function decides what a flag is, by what it finds: it sets True here, False there.

    As one does that starts the processes: `args.distributed = False`, and for others True.
    """
    names = flag_names(call)
    given: dict[ast.AST, set[object]] = {}
    for other in reachable(module):
        for node in other.attributes:
            statement, scope = other.parents[node], other.function(node)
            if node.attr not in names or not isinstance(scope, FUNCTIONS):
                continue
            if written(node.value) in parameters(scope):  # a place that reads it counts as None
                value = statement.value if isinstance(statement, ast.Assign) else None
                given.setdefault(scope, set()).add(getattr(value, "value", None))
    return any(values == {True, False} for values in given.values())


def uses(module: Module, call: ast.Call) -> list[tuple[Module, ast.Attribute]]:
    """The places of the program, or of the script that parses it, that read a flag."""
    files = reachable(module) if is_started(module) else module.project.near(module)
    return [
        (other, node)
        for other in files
        for name in flag_names(call)
        for node in attributes_of(other).get(name, ())
    ]


def is_passed_over(module: Module, node: ast.AST) -> bool:
    """Whether a value is only asked for by `if value: pass`."""
    around = module.parents[node]
    return (
        isinstance(around, ast.If)
        and not around.orelse
        and all(isinstance(one, ast.Pass) for one in around.body)
    )


def is_text_for_truth(module: Module, call: ast.Call) -> bool:
    """Whether a flag is True or False by default, takes a text, and is only asked if it is true."""
    given = {one.arg for one in call.keywords}
    text = "type" not in given or written(keyword(call, "type") or call) == "str"
    if not text or given & {"action", "choices", "nargs", "const", None}:
        return False
    if not is_constant(keyword(call, "default"), True, False):
        return False
    places = uses(module, call)
    return bool(places) and all(is_asked(*place) for place in places)


def is_asked(module: Module, node: ast.expr) -> bool:
    """Whether a condition asks if a value is true, and nothing else is done with it."""
    inner: ast.AST = node
    for around in module.ancestors(node):
        if isinstance(around, ast.If | ast.IfExp | ast.While):
            return around.test is inner
        if not isinstance(around, ast.BoolOp) and not (
            isinstance(around, ast.UnaryOp) and isinstance(around.op, ast.Not)
        ):
            return False
        inner = around
    return False


@rule(
    "TG331",
    "a flag with `type=list` becomes a list of single characters",
    why="""argparse calls the type on the string: `--devices 0,1` is `["0", ",", "1"]`, and `--sizes
    128` is `["1", "2", "8"]`. A `set` is just as wrong. Only the default is right. It is a hint for
    a `dict`, which rejects any string, where the default is itself a word or holds single letters,
    and where the program sets this flag by its name: `setattr(args, name, value)`.""",
    remedy="use `nargs='+'` and the type of one value, such as `type=int`",
    source="https://docs.python.org/3/library/argparse.html#type",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--sizes", type=list, default=[64, 128])  # <--
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--sizes", type=int, nargs="+", default=[64, 128])
""",
    once=True,
)
def characters(module: Module) -> Iterator[Spot]:
    for call in module.calls.get("add_argument", ()):
        read_as = keyword(call, "type") or call
        # `list[int]` makes the same of a text as `list`
        kind = written(read_as.value if isinstance(read_as, ast.Subscript) else read_as)
        if kind in ("list", "tuple", "dict", "set"):
            # which nobody can give at all, so that it comes from a file
            from_file = kind == "dict" or is_set_by_name(module, call)
            meant = from_file or is_of_characters(keyword(call, "default"))
            yield Spot(call, unsure=meant or is_left_unread(module, call))


def is_set_by_name(module: Module, call: ast.Call) -> bool:
    """Whether a program sets its flags by name, and its code has this one as a text."""
    names = flag_names(call) if are_set_by_name(module) else ()
    texts = [f"{quote}{name}{quote}".encode() for name in names for quote in "\"'"]
    return any(map(module.project.contains, texts))


def is_of_characters(default: ast.expr | None) -> bool:
    """Whether a default is letters, or one word, of which argparse makes letters too."""
    if isinstance(default, ast.List | ast.Tuple) and default.elts:
        letters = [getattr(one, "value", None) for one in default.elts]
        return all(isinstance(one, str) and len(one) == 1 and one.isalpha() for one in letters)
    text = default.value if isinstance(default, ast.Constant) else None
    return isinstance(text, str) and text.isalnum()
