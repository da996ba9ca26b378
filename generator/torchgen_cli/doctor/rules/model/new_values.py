"""Calls that give a new text, array, picture or table, and leave what they are called on."""

import ast

from ...project import Module
from ...syntax import (
    has_stars,
    is_constant,
    keyword,
    last_name,
    own_nodes,
    receiver,
    walk,
    written,
)

# functions of NumPy that change nothing; without `clip` and `round`, which seldom matter
OF_NUMPY = (
    *("append", "concatenate", "delete", "expand_dims", "flip", "hstack", "insert", "pad"),
    *("reshape", "roll", "squeeze", "stack", "swapaxes", "transpose", "vstack"),
)
# methods of texts, of arrays and of tables, which give a new one
OF_TEXTS = ("lower", "lstrip", "rstrip", "strip", "upper")
OF_TABLES = (
    *("drop", "drop_duplicates", "dropna", "fillna", "reset_index", "set_index", "sort_index"),
    "sort_values",
)
OF_PICTURES = ("convert", "crop", "resize", "rotate", "transpose")
# how PIL turns pictures
TURNS = ("PIL.Image.FLIP_", "PIL.Image.ROTATE_", "PIL.Image.TRANS", "PIL.Image.Transpose.")
NEW_VALUES = (*OF_TEXTS, *OF_TABLES, *OF_PICTURES, "astype", "replace", "reshape")
# methods of tables that only change the index, and what reads it
OF_INDEX = ("reset_index", "set_index", "sort_index")
READING = {"at", "index", "iterrows", "join", "loc", "merge"}


def is_of_numpy(module: Module, call: ast.Call) -> bool:
    """Whether it is a function of NumPy's, and what it is given is kept under a name."""
    if module.qualified(call.func) != f"numpy.{last_name(call.func)}" or not call.args:
        return False
    made = any(isinstance(node, ast.Call) for node in walk(call.args[0]))
    return not made and keyword(call, "out") is None and not has_stars(call)


def is_seldom_missed(module: Module, call: ast.Call) -> bool:
    """Whether it only changes the type of an array, or an index that nothing reads."""
    name, owner = last_name(call.func), receiver(call)
    if name in OF_INDEX and owner is not None:
        table = written(owner)
        return not any(
            isinstance(one, ast.Attribute) and one.attr in READING and written(one.value) == table
            for one in own_nodes(module.function(call))
        )
    return name == "astype"


def gives_a_new_one(module: Module, call: ast.Call) -> bool:
    """Whether it is surely a method of a text, an array, a picture of PIL's or a table."""
    name, owner = last_name(call.func), receiver(call)
    while isinstance(owner, ast.Attribute | ast.Subscript):
        owner = owner.value
    root = "" if owner is None else written(owner)
    shown = module.name.endswith(".ipynb")  # what stands last in a cell
    if not root or root in module.imports or name in module.project.functions or shown:
        return False
    texts = [isinstance(getattr(one, "value", None), str) for one in call.args]
    if name in OF_TEXTS:
        return len(call.args) <= int("strip" in name) and not call.keywords
    if name == "replace":
        return len(texts) == 2 and any(texts) and not call.keywords
    if name in OF_TABLES:
        return is_of_table(module, call)
    if name in ("astype", "reshape") or (name == "transpose" and len(call.args) > 1):
        return bool(call.args) and (name == "astype" or all(map(is_number, call.args)))
    return is_picture(module, call)


def is_of_table(module: Module, call: ast.Call) -> bool:
    """Whether a method of pandas's tables gives a new one, in a file that imports pandas."""
    if "pandas" not in module.libraries:
        return False
    in_place = keyword(call, "inplace")
    kept = (in_place is None or is_constant(in_place, False)) and not has_stars(call)
    named = any(one.arg in ("axis", "columns") for one in call.keywords)
    return kept and (named or last_name(call.func) != "drop")


def is_number(value: ast.expr) -> bool:
    """Whether a place or length of axes is written out, as in `(-1, 3)`."""
    parts = value.elts if isinstance(value, ast.Tuple) else [value]
    return all(
        isinstance(one.operand if isinstance(one, ast.UnaryOp) else one, ast.Constant)
        for one in parts
    )


def is_picture(module: Module, call: ast.Call) -> bool:
    """Whether a method is called on what PIL made under this name, or with a word of PIL's."""
    owner = receiver(call)
    if any(module.qualified(one).startswith(TURNS) for one in call.args):
        return True
    values = module.value_in(owner, module.function(call)) if owner is not None else []
    values = [one for one in values if one.lineno <= call.lineno]
    return bool(values) and all(
        isinstance(one, ast.Call)
        and module.qualified(one.func) in ("PIL.Image.open", "PIL.Image.new", "PIL.Image.fromarray")
        for one in values
    )
