"""Two parsers that read one command line."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import Spot, rule
from ...syntax import FUNCTIONS, blocks_of, last_name, own_calls, receiver, written

OTHERWISE = (b"sys.argv", b"parse_known_args", b"add_subparsers", b"parents=")


@rule(
    "TG341",
    "two parsers read the same command line, and each rejects the other's flags",
    why="""`parse_args()` exits on a flag that its parser does not know. If two parsers both run,
    flags that only one of them has can never be used.""",
    remedy="declare all flags with one parser, or use `parse_known_args()` in both",
    source="https://docs.python.org/3/library/argparse.html#partial-parsing",
    bad="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
args = parser.parse_args()
parser = argparse.ArgumentParser()
parser.add_argument("--layers", type=int, default=3)
model_args = parser.parse_args()  # <--
print(args.rate, model_args.layers)
""",
    good="""
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--rate", type=float, default=0.1)
parser.add_argument("--layers", type=int, default=3)
args = parser.parse_args()
print(args.rate, args.layers)
""",
)
def two_parsers(module: Module) -> Iterator[Spot]:
    calls = [one for one in module.calls.get("parse_args", ()) if not one.args and not one.keywords]
    content = module.project.contents[module.name]
    if len(calls) < 2 or any(one in content for one in OTHERWISE):
        return
    reads = [(call, flags) for call in calls if (flags := flags_of(module, call))]
    for number, (call, flags) in enumerate(reads):
        for _, others in (one for one in reads[:number] if run_together(module, one[0], call)):
            if others != flags:
                yield Spot(call, f"`{min(flags ^ others)}` is rejected by one of the two")
                break


def flags_of(module: Module, call: ast.Call) -> set[str]:
    """The flags of the parser that is asked; empty where not all of them can be known."""
    owner, scope = receiver(call), module.function(call)
    name = written(owner) if owner is not None else ""
    made = [
        one
        for one in module.assigned.get(name, ())
        if isinstance(one.value, ast.Call)
        and last_name(one.value.func) == "ArgumentParser"
        and module.function(one) is scope
        and one.lineno < call.lineno
    ]
    if not made:
        return set()
    start = max(one.lineno for one in made)
    found: set[str] = set()
    for one in own_calls(scope):
        if not start < one.lineno <= call.lineno or one is call:
            continue
        if name in map(written, (*one.args, *(k.value for k in one.keywords))):
            return set()  # others may declare flags, too
        about = receiver(one)
        if about is None or written(about) != name:
            continue
        if last_name(one.func) != "add_argument":
            return set()
        texts = [str(getattr(text, "value", "")) for text in one.args]
        found |= {text for text in texts if text.startswith("-")}
    return found


def run_together(module: Module, first: ast.Call, second: ast.Call) -> bool:
    """Whether both are run, one after the other: in one block, or called from one."""
    blocks = [block_of(module, first), block_of(module, second)]
    if any(block is None for block in blocks):
        return False
    return blocks[0] is blocks[1]


def block_of(module: Module, call: ast.Call, depth: int = 3) -> list[ast.stmt] | None:
    """The list of statements in which a call is run; of a function, where it is called."""
    statement = module.statement(call)
    around = module.parents[statement]
    if isinstance(around, FUNCTIONS) and depth:
        places = [
            one for one in module.calls.get(around.name, ()) if isinstance(one.func, ast.Name)
        ]
        if len(places) == 1:
            return block_of(module, places[0], depth - 1)
    return next((block for block in blocks_of(around) if statement in block), None)
