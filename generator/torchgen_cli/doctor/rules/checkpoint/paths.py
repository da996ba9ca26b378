"""What a path begins with, as far as the code tells."""

import ast
from itertools import takewhile

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    is_constant,
    keyword,
    last_name,
    receiver,
    written,
)
from ..shared.states import takes

HERE = ("os.getcwd", "pathlib.Path.cwd")


def beginning_of(module: Module, node: ast.expr | None, depth: int = 4) -> tuple[str, bool]:
    """How the text of a path begins, as far as it is known, and whether that is all of it."""
    if node is None or not depth:
        return "", False
    if isinstance(node, ast.Constant):
        return (node.value, True) if isinstance(node.value, str) else ("", False)
    if (plain := known_place(module, node)) is not None:
        return plain, True
    filled, mark = filled_in(node)
    if filled is not None:
        return beginning_of(module, filled, depth)[0].partition(mark)[0], False
    parts, between = put_together(node)
    if parts:
        return added(module, parts, between, depth)
    begun = [beginning_of(module, value, depth - 1) for value in settings(module, node)]
    return begun[0] if len(begun) == 1 else (beginning_alike([text for text, _ in begun]), False)


def beginning_alike(texts: list[str]) -> str:
    """What all of several texts begin with."""
    ends = zip(min(texts, default=""), max(texts, default=""), strict=False)
    return "".join(one for one, _ in takewhile(lambda pair: pair[0] == pair[1], ends))


def known_place(module: Module, node: ast.expr) -> str | None:
    """The text of `os.getcwd()`, the folder in which a program is started, or of `os.sep`."""
    if isinstance(node, ast.Call):
        return "." if module.qualified(node.func) in HERE else None
    return "/" if module.qualified(node) in ("os.sep", "os.path.sep") else None


def filled_in(node: ast.expr) -> tuple[ast.expr | None, str]:
    """The text of `"%s.pt" % name` or `"{}.pt".format(name)`, and what marks a place in it."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return node.left, "%"
    if isinstance(node, ast.Call) and last_name(node.func) == "format":
        return receiver(node), "{"
    return None, ""


def put_together(node: ast.expr) -> tuple[list[ast.expr], str]:
    """The parts of which a path is made, and what stands between them."""
    if isinstance(node, ast.JoinedStr):
        return [o.value if isinstance(o, ast.FormattedValue) else o for o in node.values], ""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add | ast.Div):
        return [node.left, node.right], "/" if isinstance(node.op, ast.Div) else ""
    if isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in ("Path", "str", "abspath") or (name == "join" and "path" in written(node.func)):
            return node.args, "/"
    return [], ""


def added(module: Module, parts: list[ast.expr], between: str, depth: int) -> tuple[str, bool]:
    """How parts begin that are put together, as far as each is known to its end."""
    text = ""
    for number, part in enumerate(parts):
        more, whole = beginning_of(module, part, depth)
        gap = between if number and not text.endswith("/") else ""
        text += gap + more
        if not whole:
            return text, False
    return text, True


def settings(module: Module, node: ast.expr) -> list[ast.expr]:
    """What a name is given where it is used, or the default of the flag that it is."""
    if isinstance(node, ast.Name):
        scope = module.function(node)
        if isinstance(scope, FUNCTIONS) and takes(scope, node.id):
            return []
        own = module.value_in(node, scope)
        return own or opened_as(module, node) or module_level(module, node.id)
    if not isinstance(node, ast.Attribute):
        return []
    if isinstance(node.value, ast.Name) and node.value.id == "self":
        return module.value_in(node, module.tree)
    name = node.attr
    near = module.project.near(module)
    if any(target.endswith(f".{name}") for other in near for target in other.assigned):
        return []
    return flag_default([module], name) or flag_default(near, name)


def opened_as(module: Module, name: ast.Name) -> list[ast.expr]:
    """The path that is opened under a name: `with open(path, "wb") as file`."""
    return [
        item.context_expr.args[0]
        for around in module.ancestors(name)
        if isinstance(around, ast.With)
        for item in around.items
        if isinstance(item.context_expr, ast.Call) and item.context_expr.args
        if item.optional_vars is not None and written(item.optional_vars) == name.id
    ]


def module_level(module: Module, name: str) -> list[ast.expr]:
    """What a name is given outside of functions."""
    statements = module.assigned.get(name, ())
    return [one.value for one in statements if module.function(one) is module.tree]


def flag_default(modules: list[Module], name: str) -> list[ast.expr]:
    """The defaults of the flags of a name in these files."""
    flags = (f"--{name}", f"--{name.replace('_', '-')}")
    return [
        value
        for other in modules
        for call in other.calls.get("add_argument", ())
        if any(is_constant(one, *flags) for one in call.args)
        if (value := keyword(call, "default")) is not None
    ]
