"""Calls that the libraries of these years refuse, as an argument is gone or has to be named."""

import ast
from collections.abc import Iterator

from ...project import Module
from ...rule import STABLE, Spot, rule
from ...syntax import has_stars, is_constant, keyword
from .gone import keeps_an_old_torch
from .gone_names import PACKAGES

SCHEDULERS = "torch.optim.lr_scheduler."
# arguments that are gone: of what, since which release, and what to do
GONE_ARGUMENTS = {
    ("skimage.metrics.structural_similarity", "multichannel"): ("0.21", "channel_axis=-1"),
    ("sklearn.cluster.KMeans", "n_jobs"): ("1.0", "leave `n_jobs` out"),
    ("sklearn.manifold.TSNE", "n_iter"): ("1.7", "max_iter"),
    ("sklearn.preprocessing.OneHotEncoder", "sparse"): ("1.4", "sparse_output"),
    ("gensim.models.Word2Vec", "size"): ("4.0", "vector_size"),
    ("gensim.models.Word2Vec", "iter"): ("4.0", "epochs"),
    ("pandas.read_csv", "error_bad_lines"): ("2.0", 'on_bad_lines="skip"'),
}
# methods that dicts had before Python 3, and what to call instead
OF_DICTS = {"has_key": "in", "iteritems": "items()", "iterkeys": "keys()", "itervalues": "values()"}
# how many arguments may be given without their names, and since when
BY_PLACE = {
    **{
        f"librosa.{name}": (count, "0.10")
        for name, count in {
            "core.load": 1,
            "core.resample": 1,
            "core.stft": 1,
            "effects.pitch_shift": 1,
            "effects.split": 1,
            "effects.time_stretch": 1,
            "effects.trim": 1,
            "feature.chroma_stft": 0,
            "feature.melspectrogram": 0,
            "feature.mfcc": 0,
            "filters.mel": 0,
            "istft": 1,
            "load": 1,
            "resample": 1,
            "stft": 1,
            "util.fix_length": 1,
            "util.pad_center": 1,
        }.items()
    },
    **{
        f"sklearn.metrics.{name}": (2, "1.0")
        for name in (
            *("accuracy_score", "average_precision_score", "classification_report"),
            *("confusion_matrix", "f1_score", "fbeta_score", "precision_recall_fscore_support"),
            *("precision_score", "recall_score", "roc_auc_score", "roc_curve"),
        )
    },
    "pandas.concat": (1, "2.0"),
}


@rule(
    "TG817",
    "this call is refused by the releases of these years",
    why="""An argument was removed, or has to be given by its name: a TypeError or RuntimeError
    where the line is reached. Where the packaging keeps an older release it is a hint. One place
    is shown for each call.""",
    remedy="do what stands behind the colon",
    source=f"{STABLE}/generated/torch.optim.lr_scheduler.ReduceLROnPlateau.html",
    bad="""
import torch


def schedule(optimizer):
    return torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3, verbose=True)  # <--
""",
    good="""
import torch


def schedule(optimizer):
    return torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=3)
""",
    once=True,
)
def refused_calls(module: Module) -> Iterator[Spot]:
    found = (
        *removed_arguments(module),
        *too_many(module),
        *missing_arguments(module),
        *axes_by_place(module),
        *removed_methods(module),
    )
    for call, name, release, advice in found:
        if not module.is_fallback(call):
            library = name.partition(".")[0].replace("dict", "python")
            package = PACKAGES.get(library, library)
            kept = module.project.stays_before(package, release) or keeps_an_old_torch(module)
            yield Spot(call, f"{name}, since {library} {release}: {advice}", unsure=kept)


Refused = tuple[ast.Call, str, str, str]
"""The call, what is called, the first release that refuses it, what to do."""


def removed_arguments(module: Module) -> Iterator[Refused]:
    """Where an argument is given that is gone."""
    for node in module.keywords:
        call = module.parents[node]
        if not isinstance(call, ast.Call) or node.arg is None:
            continue
        name = module.qualified(call.func)
        if node.arg == "verbose" and name.startswith(SCHEDULERS):
            yield call, name, "2.7", "leave `verbose` out"
        elif (name, node.arg) in GONE_ARGUMENTS:
            yield call, name, *GONE_ARGUMENTS[name, node.arg]


def too_many(module: Module) -> Iterator[Refused]:
    """Where an argument is given by its place that has to be named."""
    for last in {name.rpartition(".")[2] for name in BY_PLACE} & module.calls.keys():
        for call in module.calls[last]:
            name = module.qualified(call.func)
            if name in BY_PLACE and not has_stars(call):
                allowed, release = BY_PLACE[name]
                if len(call.args) > allowed:
                    yield call, name, release, f"name the arguments{after(allowed)}"


def after(allowed: int) -> str:
    """Which arguments need no name, in words."""
    return f" after the first {allowed if allowed > 1 else 'one'}" if allowed else ""


def missing_arguments(module: Module) -> Iterator[Refused]:
    """Where an argument is missing without which the call is refused."""
    for call in module.calls.get("load", ()):
        if module.qualified(call.func) == "numpy.load" and is_of_objects(module, call):
            yield call, "numpy.load of objects", "1.16.3", "allow_pickle=True"
    for name, safe in (("load", "safe_load"), ("load_all", "safe_load_all")):
        for call in module.calls.get(name, ()):
            alone = len(call.args) == 1 and not call.keywords
            if alone and module.qualified(call.func) == f"yaml.{name}":
                yield call, f"yaml.{name}", "6.0", f"yaml.{safe}(...)"
    for call in module.torch_calls("stft"):
        if (
            module.qualified(call.func) == "torch.stft"
            and not has_stars(call)
            and keyword(call, "return_complex") is None
            and len(call.args) < 10
        ):
            advice = "return_complex=True, and `torch.view_as_real` of what comes"
            yield call, "torch.stft", "2.0", advice


def is_of_objects(module: Module, call: ast.Call) -> bool:
    """Whether what numpy loads is one object, such as a dict, and pickles are not allowed."""
    if has_stars(call) or keyword(call, "allow_pickle") is not None or len(call.args) > 2:
        return False
    around = module.parents[call]
    called = module.parents.get(around)
    if isinstance(around, ast.Attribute) and around.attr == "item":
        return isinstance(called, ast.Call) and not called.args
    key = around.slice if isinstance(around, ast.Subscript) else None
    return isinstance(key, ast.Tuple) and not key.elts  # [()]


def axes_by_place(module: Module) -> Iterator[Refused]:
    """Where the axis of pandas' `drop` is given by its place."""
    if "drop" in module.project.functions or "pandas" not in roots(module):
        return
    for call in module.calls.get("drop", ()):
        if (
            len(call.args) > 1
            and isinstance(call.func, ast.Attribute)
            and is_constant(call.args[1], 0, 1, "columns", "index")
        ):
            yield call, "pandas.DataFrame.drop", "2.0", "columns=..., or axis=1"


def roots(module: Module) -> set[str]:
    """The libraries that a file imports."""
    return {whole.partition(".")[0] for whole in module.imports.values()}


def removed_methods(module: Module) -> Iterator[Refused]:
    """Where a method is called that its class has lost."""
    for name, instead in OF_DICTS.items():
        for call in module.calls.get(name, ()):
            plain = isinstance(call.func, ast.Attribute) and name not in module.project.functions
            if plain and len(call.args) == int(name == "has_key") and not call.keywords:
                yield call, f"dict.{name}", "3.0", instead
    if "pandas" not in roots(module):
        return
    for call in module.calls.get("append", ()):
        if keyword(call, "ignore_index") is not None:
            yield call, "pandas.DataFrame.append", "2.0", "pandas.concat"
    for call in module.calls.get("as_matrix", ()):
        yield call, "pandas.DataFrame.as_matrix", "1.0", "to_numpy()"
