"""Methods, attributes and texts that dicts, pandas, numpy and matplotlib of these years refuse.

Of which class an object is, code seldom says: a method counts where the file imports the library,
where no library that resembles it is imported, and where the project defines nothing of this name.
"""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...syntax import argument, has_stars, is_constant, keyword, last_name, receiver, written

Refused = tuple[ast.AST, str, str, str]
"""The place, what is called, the first release that refuses it, what to do."""

LIBRARIES = {
    "PIL": {"PIL"},
    "gensim": {"gensim"},
    "matplotlib": {"matplotlib", "mpl_toolkits", "pylab"},
    "networkx": {"networkx"},
    "numpy": {"numpy"},
    "pandas": {"pandas"},
    "torch": {"torch"},
}
# which have methods of the same names
ALIKE = {"cudf", "cupy", "dask", "jax", "modin", "polars", "pyspark", "xarray"}
# methods that dicts had before Python 3, and what to call instead
OF_DICTS = {"has_key": "in", "iteritems": "items()", "iterkeys": "keys()", "itervalues": "values()"}
# methods that are gone: the class, the first release without, and what to call instead
METHODS = {
    "applymap": ("pandas.DataFrame", "3.0", "map"),
    "as_matrix": ("pandas.DataFrame", "1.0", "to_numpy()"),
    "adjacency_list": ("networkx.Graph", "2.0", "adjacency()"),
    "edges_iter": ("networkx.Graph", "2.0", "edges()"),
    "getsize": ("PIL.ImageFont", "10", "getbbox(text)[2:]"),
    "itemset": ("numpy.ndarray", "2.0", "array[...] = value"),
    "nodes_iter": ("networkx.Graph", "2.0", "nodes()"),
    "nodes_with_selfloops": ("networkx.Graph", "2.4", "networkx.nodes_with_selfloops(graph)"),
    "ptp": ("numpy.ndarray", "2.0", "numpy.ptp(array)"),
    "selfloop_edges": ("networkx.Graph", "2.4", "networkx.selfloop_edges(graph)"),
    "symeig": ("torch.Tensor", "2.0", "torch.linalg.eigh"),
    "textsize": ("PIL.ImageDraw", "10", "textbbox((0, 0), text)[2:]"),
    "tostring": ("numpy.ndarray", "2.3", "tobytes()"),
    "tostring_rgb": ("matplotlib.FigureCanvasAgg", "3.10", "buffer_rgba(), with four channels"),
}
# attributes that are gone
ATTRIBUTES = {
    "index2word": ("gensim.KeyedVectors", "4.0", "index_to_key"),
    "ix": ("pandas.DataFrame", "1.0", "loc, or iloc"),
    "node": ("networkx.Graph", "2.4", "nodes"),
    "legendHandles": ("matplotlib.Legend", "3.9", "legend_handles"),
    "vocab": ("gensim.KeyedVectors", "4.0", "key_to_index"),
    "w_xaxis": ("matplotlib.Axes3D", "3.8", "xaxis"),
    "w_yaxis": ("matplotlib.Axes3D", "3.8", "yaxis"),
    "w_zaxis": ("matplotlib.Axes3D", "3.8", "zaxis"),
    "week": ("pandas.Series.dt", "2.0", "isocalendar().week"),
    "weekofyear": ("pandas.Series.dt", "2.0", "isocalendar().week"),
}
# arguments of methods that are gone
ARGUMENTS = {
    ("add_subplot", "axisbg"): ("matplotlib.Figure", "2.2", "facecolor"),
    ("axes", "axisbg"): ("matplotlib.Figure", "2.2", "facecolor"),
    ("backward", "retain_variables"): ("torch.Tensor", "0.4", "retain_graph"),
    ("fillna", "method"): ("pandas.DataFrame", "3.0", "ffill() or bfill()"),
    ("get_loc", "method"): ("pandas.Index", "2.0", "get_indexer(..., method=...)"),
    ("gca", "projection"): ("matplotlib.Figure", "3.6", "add_subplot(projection=...)"),
    ("grid", "b"): ("matplotlib.Axes", "3.7", "visible"),
    ("hist", "normed"): ("matplotlib.Axes", "3.3", "density"),
    ("hist2d", "normed"): ("matplotlib.Axes", "3.3", "density"),
    ("replace", "method"): ("pandas.Series", "3.0", "mask(...) and ffill()"),
    ("mean", "level"): ("pandas.DataFrame", "2.0", "groupby(level=...).mean()"),
    ("set_axis", "inplace"): ("pandas.DataFrame", "2.0", "assign the result"),
    ("sum", "level"): ("pandas.DataFrame", "2.0", "groupby(level=...).sum()"),
    ("subplot", "axisbg"): ("matplotlib.Figure", "2.2", "facecolor"),
    ("to_excel", "encoding"): ("pandas.DataFrame", "2.0", "leave it out"),
    ("to_csv", "line_terminator"): ("pandas.DataFrame", "2.0", "lineterminator"),
}
FILLS = ("backfill", "bfill", "ffill", "pad")
# letters of pandas for spans of time, which pandas 3 reads no more
SPANS = {
    **{"H": "h", "L": "ms", "N": "ns", "S": "s", "T": "min", "U": "us"},
    **{"A": "YE", "M": "ME", "Q": "QE", "Y": "YE"},
}
SPAN = re.compile(rf"(\d*)([{''.join(SPANS)}])")
SEABORN = re.compile(r"seaborn(?!-v0_8)(-[a-z-]+)?")


def removed_methods(module: Module) -> Iterator[Refused]:
    """Where something is used of an object that its class has lost."""
    yield from of_dicts(module)
    for name in METHODS.keys() & module.calls.keys():
        owner, release, instead = METHODS[name]
        for call in module.calls[name]:
            # the others that are called so take what they turn into text
            plain = name != "tostring" or not (call.args or call.keywords)
            sized = name != "getsize" or "font" in written(receiver(call) or call).lower()
            if plain and sized and is_method(module, call.func, owner):
                yield call, f"{owner}.{name}", release, instead
    for node in module.attributes:
        if node.attr in ATTRIBUTES and isinstance(node.ctx, ast.Load):
            owner, release, instead = ATTRIBUTES[node.attr]
            if is_part(module, node) and is_method(module, node, owner):
                yield node, f"{owner}.{node.attr}", release, instead
    for given in module.keywords:
        around = module.parents[given]
        key = (last_name(getattr(around, "func", around)), given.arg or "")
        if isinstance(around, ast.Call) and key in ARGUMENTS:
            owner, release, instead = ARGUMENTS[key]
            other = key[0] == "replace" and not is_constant(given.value, *FILLS)
            if not other and is_method(module, around.func, owner):
                yield around, f"{owner}.{key[0]}({key[1]}=...)", release, instead
    yield from of_tables(module)
    yield from of_spans(module)
    yield from of_plots(module)
    yield from of_bytes(module)


def is_method(module: Module, node: ast.AST, owner: str) -> bool:
    """Whether it may be what a class of a library has, and nothing else that the file knows."""
    library = owner.partition(".")[0]
    if not isinstance(node, ast.Attribute) or LIBRARIES[library].isdisjoint(module.libraries):
        return False
    whole = module.qualified(node.value).partition(".")[0]
    name = written(node.value).partition(".")[0]
    foreign = name in module.imports and whole not in LIBRARIES["matplotlib"]
    return (
        ALIKE.isdisjoint(module.libraries)
        and not foreign  # numpy.ptp
        and written(node.value) not in ("self", "cls")
        and node.attr not in module.project.functions
    )


def is_part(module: Module, node: ast.Attribute) -> bool:
    """Whether an attribute stands where that of the library does: `table.ix[0]`, `.dt.week`."""
    if node.attr in ("index2word", "vocab"):
        return last_name(node.value) == "wv"
    if node.attr in ("ix", "node"):
        around = module.parents[node]
        own = f".{node.attr}"  # of an object of the project's
        told = any(name.endswith(own) for one in module.project.code for name in one.assigned)
        return isinstance(around, ast.Subscript) and around.value is node and not told
    return not node.attr.startswith("week") or last_name(node.value) == "dt"


def of_dicts(module: Module) -> Iterator[Refused]:
    """Where a method of Python 2 is called."""
    for name, instead in OF_DICTS.items():
        for call in module.calls.get(name, ()):
            plain = isinstance(call.func, ast.Attribute) and name not in module.project.functions
            if plain and len(call.args) == int(name == "has_key") and not call.keywords:
                yield call, f"dict.{name}", "3.0", instead


def of_tables(module: Module) -> Iterator[Refused]:
    """Where a table of pandas is changed, split or read in a way that is gone."""
    frame = "pandas.DataFrame"
    if "pandas" in module.libraries:
        for call in module.calls.get("append", ()):
            if keyword(call, "ignore_index") is not None:
                yield call, f"{frame}.append", "2.0", "pandas.concat"
    for call in module.calls.get("drop", ()):
        axis = len(call.args) > 1 and is_constant(call.args[1], 0, 1, "columns", "index")
        if axis and is_method(module, call.func, frame):
            yield call, f"{frame}.drop", "2.0", "columns=..., or axis=1"
    for call in module.calls.get("get_value", ()):
        table = re.search(r"df|frame|table", written(getattr(call.func, "value", call)), re.I)
        if table and len(call.args) == 2 and is_method(module, call.func, frame):
            yield call, f"{frame}.get_value", "1.0", "at[row, column]"
    for name in ("split", "rsplit"):
        for call in module.calls.get(name, ()):
            of_texts = last_name(getattr(call.func, "value", call)) == "str"
            if of_texts and len(call.args) > 1 and is_method(module, call.func, frame):
                yield call, f"pandas.Series.str.{name}", "2.0", "pass n by keyword"


def text_of(node: ast.AST | None) -> str:
    """The text that a constant is; empty for all else."""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""


def of_spans(module: Module) -> Iterator[Refused]:
    """Where a span of time is written with a letter that pandas reads no more."""
    for name in ("date_range", "Grouper", "resample"):
        for call in module.calls.get(name, ()):
            if name == "resample":
                span = argument(call, 0, "rule")
                fits = is_method(module, call.func, "pandas.DataFrame")
                # of periods, the letters of months and years are still those
                fits = fits and not {"to_period", "period_range"} & module.calls.keys()
            else:
                span = keyword(call, "freq")
                fits = module.qualified(call.func) == f"pandas.{name}"
            if fits and (match := SPAN.fullmatch(text_of(span))):
                instead = match[1] + SPANS[match[2]]  # those in capitals are new in 2.2
                yield call, f'pandas, "{match[0]}" of {name}', "3.0", f'"{instead}"'


def of_plots(module: Module) -> Iterator[Refused]:
    """Where a style of plots, or the title of a window, is set in a way that is gone."""
    for call in module.calls.get("set_window_title", ()):
        canvas = last_name(getattr(call.func, "value", call)) == "canvas"
        if canvas and is_method(module, call.func, "matplotlib.FigureCanvas"):
            instead = "canvas.manager.set_window_title"
            yield call, "matplotlib.FigureCanvas.set_window_title", "3.6", instead
    for name in ("use", "context"):
        for call in module.calls.get(name, ()):
            text = text_of(argument(call, 0, "style"))
            if SEABORN.fullmatch(text) and re.fullmatch(
                rf"matplotlib\.(pyplot\.)?style\.{name}", module.qualified(call.func)
            ):
                instead = text.replace("seaborn", "seaborn-v0_8")
                yield call, f'matplotlib, the style "{text}"', "3.8", f'"{instead}"'


def of_bytes(module: Module) -> Iterator[Refused]:
    """Where numpy reads an array from bytes as if they were text."""
    for call in module.calls.get("fromstring", ()):
        separator = argument(call, 3, "sep")
        if (
            module.qualified(call.func) == "numpy.fromstring"
            and not has_stars(call)
            and (separator is None or is_constant(separator, ""))
        ):
            yield call, "numpy.fromstring of bytes", "2.3", "numpy.frombuffer, which makes no copy"
