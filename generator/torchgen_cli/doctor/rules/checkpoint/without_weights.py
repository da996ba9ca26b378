"""What comes of a checkpoint that is missing, where nothing ends the program."""

import ast
import re
from pathlib import PurePath

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    is_constant,
    keyword,
    last_name,
    own_calls,
    own_nodes,
    receiver,
    written,
)
from ..shared.flag_values import long_flag
from ..shared.loops import is_backward

ASKING = ("isfile", "exists", "is_file")
TELLING = re.compile(r"^(print\w*|info|debug|warn\w*|error|write|log\w*|secho|echo)$", re.I)
EVALUATES = re.compile(
    r"^(do_?|only_?)?(eval|test|infer|valid|predict)\w*$|(eval|test)_only$", re.I
)
# calls of training code
TRAINS = re.compile(r"^(backward|state_dict|fit|train_\w+|\w+_train)$|^train(er|ing)", re.I)
TRAINING_CALLS = {"backward", "step", "zero_grad"}
ASKED_FOR = re.compile(r"resum|checkpoint|ckpt|weights|pretrain|load|model_?(path|file)", re.I)


def consequence(module: Module, asked: ast.If, load: ast.Call) -> tuple[str, bool] | None:
    """What comes of a missing file, and whether that is a matter of doubt; None for nothing."""
    scope, told = module.function(asked), all(map(only_tells, asked.orelse))
    flag = evaluating_flag(scope, asked)
    if flag and all(only_tells(one) or isinstance(one, ast.Assign) for one in asked.orelse):
        return f"under {flag}", False
    backward = module.project.reaches(module, scope, is_backward)
    if told and not backward and is_saved_later(module, scope, asked):
        return "and saved in another file", False
    trains = any(map(TRAINS.search, module.calls))
    if not trains and not backward:
        brought = PurePath(module.name).stem in module.project.imported_parts
        switched = any(not one.args for one in module.calls.get("eval", ()))
        return ("", False) if switched and told and not brought else None
    path = path_asked(asked.test)
    wanted = isinstance(path, ast.Attribute | ast.Subscript) and ASKED_FOR.search(ast.unparse(path))
    if not wanted or not told:
        return None
    silent = path is not None and not asked.orelse and is_to_resume(module, path)
    return "a new run starts instead", not silent


def only_tells(statement: ast.stmt) -> bool:
    """Whether a statement prints or logs, and does nothing else."""
    if isinstance(statement, ast.Pass):
        return True
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not isinstance(call, ast.Call):
        return False
    return TELLING.search(last_name(call.func)) is not None and "pars" not in written(call.func)


def path_asked(test: ast.expr) -> ast.expr | None:
    """The path that a condition asks to exist, by itself or together with others."""
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    for part in parts:
        if isinstance(part, ast.Call) and last_name(part.func) in ASKING:
            return part.args[0] if part.args else receiver(part)
    return None


def is_saved_later(module: Module, scope: ast.AST, asked: ast.If) -> bool:
    """Whether a program that does not train saves weights after it asked for a file."""
    return TRAINING_CALLS.isdisjoint(module.calls) and any(
        call.lineno > asked.lineno
        and module.function(call) is scope
        and not any(True for _ in module.loops_around(call))
        for call in module.torch_calls("save")
    )


def is_to_resume(module: Module, path: ast.AST) -> bool:
    """Whether a path is that of a run to resume, which a flag names where one is wanted."""
    name = written(path).rpartition(".")[2]
    return "resume" in name.lower() and any(
        long_flag(call).strip("-").replace("-", "_") == name
        and is_constant(keyword(call, "default") or ast.Constant(None), None, "")
        and keyword(call, "action") is None
        for other in module.project.near(module)
        for call in other.calls.get("add_argument", ())
    )


def evaluating_flag(scope: ast.AST, asked: ast.If) -> str:
    """The flag under which a function evaluates and returns, after a place; empty for none."""
    for one in own_nodes(scope) if isinstance(scope, FUNCTIONS) else ():
        if (
            isinstance(one, ast.If)
            and one.lineno > asked.lineno
            and isinstance(one.test, ast.Attribute)
            and EVALUATES.search(one.test.attr)
            and isinstance(one.body[-1], ast.Return)
            and own_calls(one)
        ):
            return written(one.test)
    return ""
