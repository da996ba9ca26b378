"""The block for `__main__` of a file that others import, where it only tries the file out."""

import ast
import re
from functools import partial
from pathlib import PurePath

from .documents import documents
from .kept import kept
from .project import Module
from .syntax import FUNCTIONS, asks_main, defaults_of, last_name, parameters, walk

# a file's own functions to try it out
CHECKS = re.compile(r"^_?(test|demo|example|check|debug)")
# what a demonstration of a file's classes does not do, and a program does
RUNS = re.compile(
    r"^(backward|load_state_dict|save\w*|fit|main\w*|(run|train|eval|test|valid)\w*|launch|spawn)$"
)
TRAINS = re.compile(r"^(backward|DataLoader|fit|launch|main\w*|save\w*|spawn)$")


@kept
def demonstration(module: Module) -> ast.If | None:
    """The block for `__main__` of a file that others import, where it only tries something out.

    It trains and loads nothing, or makes up its input, `x = torch.randn(4, 3, 512, 512)`, and
    trains nothing; or it gives a function nothing of what that needs.
    """
    if PurePath(module.name).stem not in module.project.imported_parts:
        return None
    for block in module.tree.body:
        if isinstance(block, ast.If) and asks_main(block):
            if any(lacks_all(module, node) or comes_later(module, node) for node in walk(block)):
                return block  # which nobody has started
            calls = TRAINS if any(map(makes_up_input, walk(block))) else RUNS
            called = partial(is_called, module, calls)
            return None if module.project.reaches(module, block, called) else block
    return None


def lacks_all(module: Module, node: ast.AST) -> bool:
    """Whether a function of the file is given nothing of what it needs.

    That is one thing, in a file that no page names, or several.
    """
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    needs = [
        len(parameters(one)) - len(defaults_of(one))
        for one in module.tree.body
        if isinstance(one, FUNCTIONS) and one.name == node.func.id and not one.decorator_list
    ]
    few = int(PurePath(module.name).name.encode() in documents(module.project.root))
    return not (node.args or node.keywords) and any(number > few for number in needs)


def comes_later(module: Module, node: ast.AST) -> bool:
    """Whether a function of the file is called before it is defined."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        return False
    made = [one for one in module.tree.body if getattr(one, "name", "") == node.func.id]
    known = node.func.id in module.imports or node.func.id in module.assigned
    return bool(made) and not known and all(one.lineno > node.lineno for one in made)


def makes_up_input(node: ast.AST) -> bool:
    """Whether it is a batch of noise, or of one number, of a size that is written there."""
    made = isinstance(node, ast.Call) and last_name(node.func) in ("rand", "randn", "zeros", "ones")
    sizes = [*node.args] if isinstance(node, ast.Call) and made else []
    if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
        sizes = sizes[0].elts
    return len(sizes) > 2 and all(isinstance(one, ast.Constant) for one in sizes)


def is_called(module: Module, calls: re.Pattern[str], node: ast.AST) -> bool:
    """Whether one of these is called, and that is no function to try the file out."""
    return is_run(node, calls) and not is_own_check(module, node)


def is_run(node: ast.AST, calls: re.Pattern[str] = RUNS) -> bool:
    """Whether it is a call that a program makes, and a demonstration does not."""
    return isinstance(node, ast.Call) and calls.match(last_name(node.func)) is not None


def is_own_check(module: Module, node: ast.AST) -> bool:
    """Whether it calls what a file has to try itself out: `test()`, or `demo()`."""
    func = getattr(node, "func", None)
    own = {one.name for one in module.functions}
    return isinstance(func, ast.Name) and func.id in own and CHECKS.match(func.id) is not None
