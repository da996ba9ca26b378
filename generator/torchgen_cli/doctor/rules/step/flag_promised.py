"""What a run does in place of what a flag that nothing reads promises."""

import ast
from collections.abc import Iterable, Iterator
from contextlib import suppress

from ...documents import values_given
from ...project import Module
from ...syntax import defaults_of, has_stars, is_constant, keyword, last_name, parameters
from ..shared.scripts import imported_words, stem
from .flag_kinds import (
    ASKS_FOR,
    CHOICES,
    FOR_ORDER,
    INSTEAD_OF_TRAINING,
    LOSS,
    NAMING,
    SETTINGS_OF,
    is_of_training,
)

OTHER = ("add_argument", "set_defaults", "dict", "partial")


def promised(module: Module, files: list[Module], call: ast.Call, names: set[str]) -> str:
    """What a program does in place of what a flag says; empty where nothing tells."""
    for name in names:
        if INSTEAD_OF_TRAINING.search(name) and is_constant(keyword(call, "action"), "store_true"):
            return "but the run trains anyway"
        if ASKS_FOR.search(name):
            return "but nothing is loaded from it"
        near = sorted(files, key=lambda one: distance(module, one))
        for where, node, text in (
            *optimizers(near, name),
            *chosen(module, near, name, call),
            *(literals(near, name) if is_of_training({name}) else ()),
            *(left_at_default(near, name) if is_of_training({name}) else ()),
            *(kept_constant(near, name) if is_of_training({name}) else ()),
        ):
            place = f"line {node.lineno}" if where is module else f"{where.name}:{node.lineno}"
            return f"while {place} has `{text}`"
    return ""


def distance(module: Module, other: Module) -> int:
    """How far a file lies from another: 0 for itself, more for those of other folders."""
    if module is other:
        return 0
    here, there = module.name.split("/")[:-1], other.name.split("/")[:-1]
    common = next(
        (k for k, (a, b) in enumerate(zip(here, there, strict=False)) if a != b), len(here)
    )
    return 1 + len(here) + len(there) - 2 * min(common, len(there))


def is_given_otherwise(script: Module, call: ast.Call, flag: str) -> bool:
    """Whether a documented command for a script gives a flag another value than its default."""
    if FOR_ORDER.search(flag.strip("-").replace("-", "_")):
        return False
    default = keyword(call, "default")
    usual = str(default.value) if isinstance(default, ast.Constant) else ""
    given = values_given(script.project.root, script.name, flag)
    return any(not is_same_value(one, usual) for one in given)


def is_switched_on(script: Module, call: ast.Call, flag: str) -> bool:
    """Whether a documented command for a script has a flag that takes no value."""
    switch = is_constant(keyword(call, "action"), "store_true")
    return switch and bool(values_given(script.project.root, script.name, flag))


def is_same_value(one: str, other: str) -> bool:
    """Whether two texts say the same, as numbers or as they are."""
    with suppress(ValueError):
        return float(one) == float(other)
    return one.lower() == other.lower()


def plain(name: str) -> str:
    """A name without what differs between a flag and a parameter."""
    return name.replace("_", "").lower()


Found = Iterator[tuple[Module, ast.AST, str]]


def literals(files: list[Module], name: str) -> Found:
    """Calls that give a parameter of the same name a constant: `shuffle=True`."""
    for one in files:
        for node in one.keywords:
            around = one.parents[node]
            if (
                node.arg is not None
                and plain(node.arg) == plain(name)
                and isinstance(node.value, ast.Constant)
                and node.value.value not in (None, "", False)
                and isinstance(around, ast.Call)
                and last_name(around.func) not in OTHER
            ):
                yield one, around, f"{node.arg}={ast.unparse(node.value)}"


def left_at_default(files: list[Module], name: str) -> Found:
    """Calls of the project's functions that leave a parameter of the same name at its default."""
    for where in files:
        for function in where.functions:
            wanted = next((p for p in defaults_of(function) if plain(p) == plain(name)), None)
            if wanted is None or not isinstance(defaults_of(function)[wanted], ast.Constant):
                continue
            owner = where.class_of(function)
            called = owner.name if owner and function.name == "__init__" else function.name
            for one in files:
                for call in one.calls.get(called, ()):
                    if leaves_out(call, parameters(function).index(wanted), wanted):
                        default = ast.unparse(defaults_of(function)[wanted])
                        yield one, call, f"{called}(...)` and leaves `{wanted}={default}"


def kept_constant(files: list[Module], name: str) -> Found:
    """Classes that set a field of the same name to a number: `self.dilation = 1`."""
    for one in files:
        for node in one.assigned.get(f"self.{name}", ()):
            if isinstance(node.value, ast.Constant) and type(node.value.value) in (int, float):
                yield one, node, ast.unparse(node)


def leaves_out(call: ast.Call, place: int, name: str) -> bool:
    """Whether a call gives a parameter nothing."""
    return not has_stars(call) and place >= len(call.args) and keyword(call, name) is None


def optimizers(files: Iterable[Module], name: str) -> Found:
    """Optimizers that know a setting and are made without it, or with a constant."""
    for pattern, setting, kinds in SETTINGS_OF:
        found = pattern.search(name)
        if found is None:
            continue
        of = name[: found.start()]  # of `sfc_wd` what is decayed
        for one in files:
            for call in one.torch_calls(*kinds):
                given = keyword(call, setting)
                constant = given is not None and not any(
                    isinstance(n, ast.Name | ast.Attribute) for n in ast.walk(given)
                )
                own = not of or reads_flag(keyword(call, "lr"), f"{of}_lr")
                alone = not has_stars(call) and len(call.args) < 3
                if own and alone and (given is None or constant):
                    how = (
                        f"with `{setting}={ast.unparse(given)}" if given else f"without `{setting}"
                    )
                    yield one, call, f"{last_name(call.func)}(...)` {how}"


def reads_flag(value: ast.expr | None, name: str) -> bool:
    """Whether it is a flag of this name: `args.sfc_lr`."""
    return value is not None and last_name(value) == name


def chosen(module: Module, files: list[Module], name: str, call: ast.Call) -> Found:
    """Calls of what a flag chooses: of its kind, or by the name that is its default."""
    default, offered = keyword(call, "default"), keyword(call, "choices")
    several = isinstance(offered, ast.List | ast.Tuple) and len(offered.elts) > 1
    text = default.value if isinstance(default, ast.Constant) else ""
    wanted = plain(text.replace("-", "_")) if isinstance(text, str) else ""
    named = len(wanted) > 2 and NAMING.search(name) is not None
    if name in ("model", "net") and not several:
        named = False  # there is but one
    told = LOSS.search(name) is None or keyword(call, "help") is not None
    for one in files:
        close = (
            one is module
            or stem(one) in imported_words(module)
            or stem(module) in imported_words(one)
        )
        for called, calls in one.calls.items():
            kind = told and any(flag.search(name) and made.search(called) for flag, made in CHOICES)
            if kind or (named and close and wanted in plain(called)):
                yield one, calls[0], f"{called}(...)"
