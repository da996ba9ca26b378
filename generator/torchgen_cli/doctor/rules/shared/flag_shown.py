"""What only shows or records flags, or hands all of them to the project's own code."""

import ast

from ...project import Module
from ...syntax import last_name, receiver, written
from .flag_places import own_functions

# what only shows a value to people, or keeps it for them
SHOWING = {"print", "pprint", "str", "format", "info", "dump", "dumps", "log", "write", "debug"}
RECORDING = SHOWING | {
    "add_hparams", "add_text", "critical", "echo", "error", "fatal", "log_config", "log_hparams",
    "log_hyperparams", "log_params", "log_parameters", "logging", "pformat", "print_log", "repr",
    "safe_dump", "savetxt", "warn", "warning", "writelines", "writerow",
}  # fmt: skip
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


def watched(call: ast.Call) -> bool:
    """Whether it goes to a service that records runs: `wandb.init(config=args)`."""
    root = written(receiver(call) or call)
    return "wandb" in root or root in ("mlflow", "swanlab", "experiment", "run.config", "neptune")
