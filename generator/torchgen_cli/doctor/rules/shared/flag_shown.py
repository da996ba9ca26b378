"""What only shows or records flags, or hands all of them to the project's own code."""

import ast

from ...project import Module
from ...syntax import last_name, own_calls, receiver, walk, written
from .flag_places import names_of, own_functions

# what only shows a value to people, or keeps it for them
SHOWING = {"print", "pprint", "str", "format", "info", "dump", "dumps", "log", "write", "debug"}
RECORDING = SHOWING | {
    "add_hparams", "add_row", "add_rows", "add_text", "critical", "echo", "error", "fatal",
    "log_config", "log_hparams",
    "log_hyperparams", "log_params", "log_parameters", "logging", "pformat", "print_log", "repr",
    "safe_dump", "savetxt", "warn", "warning", "writelines", "writerow",
}  # fmt: skip
# what asks for a flag, or for something about it
ASKING = {"get_default", "getattr", "isinstance", "vars"}
# what only writes a text in another way
WRITTEN = {
    "capitalize",
    "center",
    "len",
    "ljust",
    "lower",
    "rjust",
    "title",
    "type",
    "upper",
    "zfill",
}


def is_shown(module: Module, node: ast.AST) -> bool:
    """Whether a value is an argument of a statement that prints or records it."""
    statement = module.statement(node)
    call = getattr(statement, "value", None)
    return (
        isinstance(statement, ast.Expr)
        and isinstance(call, ast.Call)
        and last_name(call.func) in RECORDING
    )


def is_own(module: Module, call: ast.Call) -> bool:
    """Whether a call with all flags for keywords runs the project's own code, or sets fields."""
    owner = receiver(call)
    fields = last_name(call.func) == "update" and owner is not None
    if fields and last_name(owner or call) == "__dict__":
        return True
    found = own_functions(module, call.func, "")
    return found is not None and (bool(found) or isinstance(call.func, ast.Subscript))


def passes_on(module: Module, call: ast.Call) -> bool:
    """Whether a function hands on what it takes as `**kwargs`, to code that is not here."""
    return any(
        one.arg is None and last_name(one.value) == function.args.kwarg.arg
        for where, function in own_functions(module, call.func, "") or ()
        if function.args.kwarg is not None
        for inner in own_calls(function)
        if not is_own(where, inner)
        for one in inner.keywords
    )


def fills_table(statement: ast.AST) -> bool:
    """Whether a statement puts a value under a key: `os.environ[name] = value`."""
    return any(
        isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and last_name(getattr(node.value, "func", node.value)) not in ("vars", "__dict__")
        for node in walk(statement)
    )


def shows_each(module: Module, loop: ast.For) -> bool:
    """Whether a loop over all flags only shows them, or turns texts of theirs into constants."""
    calls = {last_name(call.func) for one in loop.body for call in own_calls(one)}
    texts = {
        node.id
        for one in loop.body
        for node in walk(one)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
    return (
        calls <= RECORDING | WRITTEN | ASKING
        and bool(calls & (RECORDING | ASKING))
        and not any(map(fills_table, loop.body))
        and not any(is_kept(module, loop, name) for name in texts)
    )


def in_showing_loop(module: Module, node: ast.AST) -> bool:
    """Whether one flag after the other is taken there, in a loop that only shows them."""
    loop = next(module.loops_around(node), None)
    return isinstance(loop, ast.For) and shows_each(module, loop)


def is_kept(module: Module, loop: ast.For, name: str) -> bool:
    """Whether anything but what shows it takes a text after the loop that made it."""
    function = module.function(loop)
    return any(
        function in module.ancestors(node)
        and loop not in module.ancestors(node)
        and node.lineno > loop.lineno
        and not is_shown(module, node)
        for node in names_of(module).get(name, ())
    )


def watched(call: ast.Call) -> bool:
    """Whether it goes to a service that records runs: `wandb.init(config=args)`."""
    root = written(receiver(call) or call)
    return "wandb" in root or root in ("mlflow", "swanlab", "experiment", "run.config", "neptune")


def may_hand_on(module: Module, node: ast.AST, owner: str) -> bool:
    """Whether a node gives away the object that keeps the flags, or calls a method of it."""
    if not isinstance(node, ast.Name) or node.id != owner:
        return False
    around = module.parents[node]
    part = isinstance(around, ast.Attribute)
    return not part or getattr(module.parents[around], "func", None) is around
