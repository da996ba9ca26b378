"""Files that are opened and hold what others saved, or what is saved beside."""

import ast
import re

from ...project import Module
from ...syntax import (
    FUNCTIONS,
    argument,
    everything,
    last_name,
    own_calls,
    own_nodes,
    same,
)
from ..shared.states import handed_on, plain_saves, value_before
from .paths import opened_as
from .refused_parts import is_load, kind_of

NAMED = re.compile(r"[a-zA-Z]\w{3,}")  # the words in the name of a file


def name_of_file(path: ast.expr | None) -> str:
    """The name at the end of a path, where it is written out: `os.path.join(folder, "last.pt")`."""
    while isinstance(path, ast.Call | ast.BinOp):
        if isinstance(path, ast.Call) and not path.args:
            return ""
        path = path.args[-1] if isinstance(path, ast.Call) else path.right
    text = path.value if isinstance(path, ast.Constant) else ""
    return text.rpartition("/")[2] if isinstance(text, str) else ""


def is_saved_beside(module: Module, load: ast.Call) -> bool:
    """Whether the same function saves plain data under the path that it loads, as a cache."""
    path = argument(load, 0, "f")
    return any(
        same(argument(save, 1, "f"), path)
        and not any(kind_of(module, part, save, True) for part in saved_parts(module, save))
        for save in own_calls(module.function(load), "save")
        if save.args and module.qualified(save.func) == "torch.save"
    )


def saved_parts(module: Module, save: ast.Call) -> list[ast.expr]:
    """What is saved: the values of a dict that is written out, or else the whole."""
    content = value_before(module, save.args[0], save)
    return content.values if isinstance(content, ast.Dict) else [save.args[0]]


def is_of_others(module: Module, load: ast.Call) -> bool:
    """Whether the file that is loaded was downloaded, or has a name that no script gives one."""
    function = module.function(load)
    downloads = isinstance(function, FUNCTIONS) and any(
        isinstance(one, ast.Expr)
        and isinstance(one.value, ast.Call)
        and "download" in last_name(one.value.func)
        for one in own_nodes(function)
    )
    return downloads or has_other_name(module, load)


def has_other_name(module: Module, load: ast.Call) -> bool:
    """Whether no text in the files that save something has a part of the loaded file's name."""
    path = written_path(module, argument(load, 0, "f"))
    values = path.values if isinstance(path, ast.JoinedStr) else [path]
    texts = [one.value for one in values if isinstance(one, ast.Constant)]
    whole = " ".join(one for one in texts if isinstance(one, str))
    words = NAMED.findall(whole.rpartition("/")[2])
    return bool(words) and not any(
        isinstance(node, ast.Constant) and isinstance(node.value, str) and words[0] in node.value
        for other in module.project.near(module)
        if plain_saves(other) or any(handed_on(other, ast.Name))
        for node in everything(other.tree)
        if node not in values and not any(is_load(other, one) for one in other.ancestors(node))
    )


def written_path(module: Module, path: ast.expr | None) -> ast.expr | None:
    """The name of the file that is loaded, where it is written out or given by one statement."""
    if not isinstance(path, ast.Name):
        return path
    made = [*module.value_in(path, module.function(path)), *opened_as(module, path)]
    return made[0] if len(made) == 1 else None
