"""Where all flags go at once: printed, kept for people, or given to code that may read any."""

import ast
from collections.abc import Callable
from enum import IntEnum
from typing import Any

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    Function,
    is_constant,
    last_name,
    own_calls,
    parameters,
    receiver,
    written,
)
from .flag_places import Places, names_of, own_functions
from .flag_shown import (
    RECORDING,
    WRITTEN,
    in_showing_loop,
    is_own,
    is_shown,
    passes_on,
    shows_each,
    watched,
)

# what makes another object with the same names, or a text of them
SAME = {
    "AttrDict", "Box", "DotDict", "DotMap", "EasyDict", "Munch", "Namespace", "OrderedDict",
    "SimpleNamespace", "__dict__", "_get_kwargs", "asdict", "copy", "deepcopy", "dict", "edict",
    "items", "join", "list", "sorted", "to_dict", "values", "vars",
}  # fmt: skip
TABLES = ("_get_kwargs", "asdict", "vars")
HARMLESS = {"delattr", "hasattr", "id", "isinstance", "keys", "len", "setattr", "type"}
STARTING = {"Process", "Thread", "apply", "apply_async", "launch", "spawn", "start_processes"}


class Fate(IntEnum):
    """What may read a flag by another way than its name in the program."""

    NAMED = 0  # nothing: each read names it
    KEPT = 1  # whatever loads the file that it is kept in, such as another script
    WORDS = 2  # the project's own code, which writes the name somewhere
    ANY = 3  # code that is not here


def reads_tables(module: Module) -> bool:
    """Whether a file reads tables from files of settings."""
    return any(
        module.qualified(call.func).partition(".")[0] in ("json", "yaml", "pickle")
        for name in ("load", "loads", "safe_load")
        for call in module.calls.get(name, ())
    )


class Whole(Places):
    """Follows what `parse_args` returns through the files of a program."""

    def __init__(self, files: list[Module]) -> None:
        """Follow it at once; `fate` tells what came of it."""
        super().__init__(files)
        self.fate = Fate.NAMED
        self.by_key = False
        """Whether a flag may be read as `table["name"]`."""
        for module in files:
            for call in module.calls.get("parse_args", ()):
                self.add(module, [call])
        for use in self.pending:  # it grows
            found = self.follow(*use)
            self.fate = max(self.fate, found)
            self.by_key = self.by_key or self.is_kept_table(*use)
            if self.fate is Fate.ANY:
                return
        self.by_key |= self.fate is Fate.KEPT or any(
            call not in self.seen
            for module in files
            for name in TABLES
            for call in module.calls.get(name, ())
        )

    def is_kept_table(self, module: Module, node: ast.AST) -> bool:
        """Whether it is a table of all flags that is more than shown."""
        around = module.parents[node]
        if isinstance(node, ast.Call):
            table = last_name(node.func) in SAME
        else:
            table = isinstance(node, ast.DictComp) or last_name(node) == "__dict__"
        if isinstance(around, ast.Call):
            return table and last_name(around.func) not in RECORDING and not watched(around)
        return table and not isinstance(around, ast.Attribute | ast.For | ast.comprehension)

    def follow(self, module: Module, node: ast.AST) -> Fate:
        """What becomes of an expression that holds all flags, by what is around it."""
        around = module.parents[node]
        kinds: tuple[tuple[Any, Callable[..., Fate]], ...] = (
            (ast.Attribute, self.part),
            (ast.Subscript, self.part),
            (ast.Call, self.given),
            (ast.keyword, self.by_keyword),
            ((ast.Assign, ast.AnnAssign, ast.NamedExpr), self.assigned),
            (ast.Tuple, self.in_tuple),
            (ast.Return, self.returned),
        )
        for kind, follow in kinds:
            if isinstance(around, kind):
                return follow(module, around, node)
        return self.elsewhere(module, around, node)

    def part(self, module: Module, around: ast.AST, node: ast.AST) -> Fate:
        """What becomes of it where one flag is taken, or the table of all."""
        if isinstance(around, ast.Subscript):
            known = around.value is node and (
                isinstance(around.slice, ast.Constant)
                or is_shown(module, around)
                or in_showing_loop(module, around)
            )
            return Fate.NAMED if known else Fate.ANY
        if isinstance(around, ast.Attribute) and around.attr in SAME:
            outer = module.parents[around]
            called = isinstance(outer, ast.Call) and outer.func is around
            self.add(module, [outer if called else around])
        return Fate.NAMED

    def elsewhere(self, module: Module, around: ast.AST, node: ast.AST) -> Fate:
        """The same for what is neither a call nor an assignment."""
        if isinstance(around, ast.BoolOp | ast.IfExp | ast.GeneratorExp | ast.ListComp):
            self.add(module, [around])
        elif isinstance(around, ast.DictComp | ast.comprehension):
            outer = module.parents[around] if isinstance(around, ast.comprehension) else around
            self.add(module, [outer])
        elif isinstance(around, ast.For):
            if shows_each(module, around):
                return Fate.NAMED
            calls = {last_name(call.func) for one in around.body for call in own_calls(one)}
            copied = "setattr" in calls and calls <= RECORDING | WRITTEN | {"setattr"}
            return Fate.WORDS if copied else Fate.ANY
        elif isinstance(around, ast.Dict):
            return Fate.KEPT
        elif not isinstance(
            around, ast.Expr | ast.FormattedValue | ast.If | ast.Compare | ast.BinOp | ast.Delete
        ) or (isinstance(around, ast.BinOp) and not isinstance(around.op, ast.Mod | ast.Add)):
            return Fate.ANY
        return Fate.NAMED

    def given(self, module: Module, call: ast.Call, node: ast.AST) -> Fate:
        """What becomes of it as an argument by place."""
        name = last_name(call.func)
        if name in ("dump", "safe_dump") and any(map(reads_tables, self.files)):
            self.by_key = True
        if call.func is node or name in RECORDING or name in HARMLESS or watched(call):
            return Fate.NAMED
        if name == "getattr" and call.args[0] is node:
            named = isinstance(call.args[1], ast.Constant) or is_shown(module, call)
            return Fate.NAMED if named or in_showing_loop(module, call) else Fate.ANY
        if name == "save":
            return Fate.KEPT
        if name in SAME:
            self.add(module, [call])
            return Fate.NAMED
        if name == "update" and not isinstance(receiver(call), ast.Call):  # of a table
            self.bind(module, module.function(call), receiver(call) or call)
            return Fate.NAMED
        place = next(k for k, one in enumerate(call.args) if one is node)
        return self.to_own(module, call, call.func, place, None)

    def by_keyword(self, module: Module, around: ast.keyword, node: ast.AST) -> Fate:
        """What becomes of it as an argument by name."""
        call = module.parents[around]
        if not isinstance(call, ast.Call):
            return Fate.ANY
        name = last_name(call.func)
        if name in SAME and around.arg is None:
            self.add(module, [call])
            return Fate.NAMED
        if around.arg is None:
            known = is_own(module, call) and not passes_on(module, call)
            return Fate.WORDS if known else Fate.ANY
        if name in RECORDING or watched(call) or (name == "parse_args"):
            return Fate.NAMED
        if name == "save":
            return Fate.KEPT
        return self.to_own(module, call, call.func, 0, around.arg)

    def to_own(
        self, module: Module, call: ast.Call, meant: ast.expr, place: int, arg: str | None
    ) -> Fate:
        """Follow it into the parameters of the project's own functions."""
        found = own_functions(module, meant, arg or "")
        if found is None:
            return Fate.ANY
        for where, function in found:
            taken, spec = parameters(function), function.args
            wanted = arg if arg is not None else taken[place] if place < len(taken) else None
            if wanted is not None and wanted in {*taken, *(one.arg for one in spec.kwonlyargs)}:
                self.bind(where, function, wanted)
            elif wanted is not None and spec.kwarg:
                self.in_keywords(where, function, spec.kwarg.arg, wanted)
            elif spec.vararg and wanted is None:
                return Fate.ANY
        return Fate.NAMED

    def in_keywords(self, module: Module, function: Function, kept: str, name: str) -> None:
        """Follow `kwargs["args"]` of a function."""
        for node in names_of(module).get(kept, ()):
            around = module.parents[node]
            if function not in module.ancestors(node):
                continue
            if isinstance(around, ast.keyword) and around.arg is None:
                self.fate = Fate.ANY
            elif isinstance(around, ast.Subscript) and is_constant(around.slice, name):
                self.add(module, [around])

    def assigned(self, module: Module, around: ast.AST, node: ast.AST) -> Fate:
        """Follow the names that it is assigned to."""
        one = getattr(around, "target", None)
        for target in [one] if one is not None else getattr(around, "targets", []):
            if isinstance(target, ast.Subscript):
                return Fate.KEPT
            if isinstance(target, ast.Tuple | ast.List) or not written(target):
                return Fate.ANY
            self.bind(module, module.function(node), target)
        return Fate.NAMED

    def in_tuple(self, module: Module, around: ast.Tuple, node: ast.AST) -> Fate:
        """Follow it through `return args, path`, `a, b = args, 1` and `spawn(f, args=(args,))`."""
        outer, place = module.parents[around], around.elts.index(node)  # type: ignore[arg-type]
        if isinstance(outer, ast.Return):
            return self.returned(module, outer, node)
        if isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mod):
            return Fate.NAMED
        if isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Tuple):
            self.bind(module, module.function(node), outer.targets[0].elts[place])
            return Fate.NAMED
        call = module.parents[outer] if isinstance(outer, ast.keyword) else outer
        if isinstance(call, ast.Call) and last_name(call.func) in STARTING:
            named = [k.value for k in call.keywords if k.arg in ("target", "fn", "main_func")]
            meant = (named or call.args or [call.func])[0]
            ranked = last_name(call.func) in ("spawn", "start_processes")
            return self.to_own(module, call, meant, place + ranked, None)
        return Fate.ANY

    def returned(self, module: Module, around: ast.Return, node: ast.AST) -> Fate:
        """Follow it to the callers of the function, as a whole or as one of a tuple."""
        whole = around.value
        place = whole.elts.index(node) if isinstance(whole, ast.Tuple) else None  # type: ignore[arg-type]
        function = module.function(around)
        if not isinstance(function, FUNCTIONS):
            return Fate.ANY
        for other, call in module.project.callers.get(function.name, ()):
            outer = other.parents[call]
            if place is None:
                self.add(other, [call])
            elif isinstance(outer, ast.Assign) and isinstance(outer.targets[0], ast.Tuple):
                if place >= len(outer.targets[0].elts):
                    return Fate.ANY
                self.bind(other, other.function(call), outer.targets[0].elts[place])
            else:
                return Fate.ANY
        return Fate.NAMED
