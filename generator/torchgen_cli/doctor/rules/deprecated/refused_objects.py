"""What files of HDF5, frames, sheets and contours give otherwise than the code expects."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import keyword, last_name, own_nodes, receiver, same, walk, written
from .refused_methods import Refused, is_method

# which are there still, to say on the first call that they are gone
EMPTY = {
    "scipy.interpolate.interp2d": ("1.14", "RegularGridInterpolator, or RectBivariateSpline"),
    **{
        f"ruamel.yaml.{name}{several}": ("0.18", f"YAML({kind}).{name.rpartition('_')[2]}{several}")
        for name, kind in (
            *(("load", 'typ="unsafe", pure=True'), ("dump", 'typ="unsafe", pure=True')),
            *(("safe_load", 'typ="safe", pure=True'), ("safe_dump", 'typ="safe", pure=True')),
            *(("round_trip_load", ""), ("round_trip_dump", "")),
        )
        for several in ("", "_all")
    },
}
# an index of pandas has a method `append`
INDEX = re.compile(r"ind(ex|ices)|idx|col(umn)?s", re.I)


def refused_objects(module: Module) -> Iterator[Refused]:
    """Where an object of a library has lost what is asked of it."""
    yield from of_frames(module)
    yield from of_contours(module)
    yield from of_files(module)
    yield from of_sheets(module)
    yield from of_sequences(module)
    for whole, (release, advice) in EMPTY.items():
        for call in module.calls.get(whole.rpartition(".")[2], ()):
            if module.qualified(call.func) == whole:
                yield call, whole, release, advice


def of_frames(module: Module) -> Iterator[Refused]:
    """Where rows are added by the method of a list, whose result is kept: `df = df.append(row)`."""
    for call in module.calls.get("append", ()):
        statement, table = module.parents[call], receiver(call)
        if (
            isinstance(statement, ast.Assign)
            and same(statement.targets[0], table)
            and len(call.args) == 1
            and keyword(call, "ignore_index") is None
            and not INDEX.search(written(table or call))
            and not any(map(is_index, module.value_in(table or call, module.function(call))))
            and is_method(module, call.func, "pandas.DataFrame")
        ):
            yield call, "pandas.DataFrame.append", "2.0", "pandas.concat"


def is_index(value: ast.expr) -> bool:
    """Whether it is the index of a table: `table[rows].index`."""
    return isinstance(value, ast.Attribute) and INDEX.fullmatch(value.attr) is not None


def of_contours(module: Module) -> Iterator[Refused]:
    """Where the contours of a picture are unpacked with a picture, which OpenCV 3 gave as well."""
    for call in module.calls.get("findContours", ()):
        statement = module.parents[call]
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        whole = module.qualified(call.func) == "cv2.findContours"
        if whole and isinstance(target, ast.Tuple) and len(target.elts) == 3:
            advice = "contours, hierarchy = cv2.findContours(...)"
            yield call, "cv2.findContours into three names", "4.0", advice


def of_sequences(module: Module) -> Iterator[Refused]:
    """Where packed sequences are unpacked into two, which got four fields."""
    for call in module.torch_calls("pack_padded_sequence", "pack_sequence"):
        statement = module.parents[call]
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if isinstance(target, ast.Tuple) and len(target.elts) == 2:
            name = f"torch.nn.utils.rnn.{last_name(call.func)} into two names"
            yield call, name, "1.1", "its `.data` and `.batch_sizes`"


def of_files(module: Module) -> Iterator[Refused]:
    """Where what a file of HDF5 holds is read by an attribute: `file["labels"].value`."""
    if "h5py" not in module.libraries:
        return
    for node in module.attributes:
        if node.attr != "value" or not isinstance(node.value, ast.Subscript):
            continue
        held: ast.expr = node.value
        while isinstance(held, ast.Subscript):
            held = held.value
        called = getattr(module.parents[node], "func", None) is node
        if not called and isinstance(held, ast.Name) and is_file(module, held):
            yield node, "h5py.Dataset.value", "3.0", "[()] in its place"


def is_file(module: Module, name: ast.Name) -> bool:
    """Whether a name stands for a file of HDF5 that is opened in the same function."""
    scope = module.function(name)
    opened = [*module.value_in(name, scope)]
    for node in own_nodes(scope):
        named = node.optional_vars if isinstance(node, ast.withitem) else None
        if isinstance(node, ast.withitem) and named and last_name(named) == name.id:
            opened.append(node.context_expr)
    calls = (one for value in opened for one in walk(value) if isinstance(one, ast.Call))
    return any(module.qualified(one.func) == "h5py.File" for one in calls)


def of_sheets(module: Module) -> Iterator[Refused]:
    """Where what writes a sheet is saved, and not closed: `writer.save()`."""
    for call in module.calls.get("save", ()) if "ExcelWriter" in module.calls else ():
        writer = receiver(call)
        made = module.value_in(writer, module.scope(call)) if writer is not None else []
        if made and not call.args and all(is_writer(module, one) for one in made):
            yield call, "pandas.ExcelWriter.save", "2.0", "close()"


def is_writer(module: Module, value: ast.expr) -> bool:
    """Whether it is `pandas.ExcelWriter(path)`."""
    return isinstance(value, ast.Call) and module.qualified(value.func) == "pandas.ExcelWriter"
