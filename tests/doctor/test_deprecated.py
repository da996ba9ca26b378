"""The tables of deprecated names, against the torch that is installed."""

import importlib.util
import inspect
import re
import sys

import pytest
from packaging.version import Version

from torchgen_cli.doctor.rules.deprecated.gone_arguments import ARGUMENTS
from torchgen_cli.doctor.rules.deprecated.gone_names import GONE, REMOVED_IN
from torchgen_cli.doctor.rules.deprecated.names import AMP, DEPRECATED, REMOVED
from torchgen_cli.doctor.rules.model.not_at_torch import WHERE

torch = pytest.importorskip("torch")


def look_up(name: str) -> object:
    """What a dotted name stands for."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:end]))
        except ImportError:
            continue
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise AttributeError(name)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "replacement", sorted({*AMP.values(), *REMOVED.values(), *DEPRECATED.values()})
)
def test_each_replacement_is_part_of_torch(replacement: str) -> None:
    assert callable(look_up(re.sub(r"\(.*", "", replacement)))


@pytest.mark.parametrize("name", REMOVED)
def test_what_is_said_to_be_removed_raises(name: str) -> None:
    matrix = torch.eye(2)
    with pytest.raises((AttributeError, RuntimeError), match=r"deprecated|removed|no attribute"):
        look_up(name)(matrix, *([matrix] if name in ("torch.solve", "torch.lstsq") else []))


def is_installed(name: str) -> bool:
    """Whether the library of a name is here, so that what it lacks can be seen."""
    return importlib.util.find_spec(name.partition(".")[0]) is not None


RUNNING = Version(f"{sys.version_info.major}.{sys.version_info.minor}")
# what a newer Python than the one that runs this has removed
LATER = {
    name
    for release, names in REMOVED_IN["python"].items()
    if Version(release) > RUNNING
    for name in names
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [one for one in filter(is_installed, GONE) if one not in LATER])
def test_what_is_said_to_be_gone_is_missing(name: str) -> None:
    # scikit-learn raises an ImportError with advice for some names
    with pytest.raises((AttributeError, ImportError, RuntimeError)):
        look_up(name)


@pytest.mark.parametrize("name", [*filter(is_installed, ARGUMENTS)])
def test_what_is_said_to_take_an_argument_no_more_has_none(name: str) -> None:
    parameters = inspect.signature(look_up(name)).parameters
    assert ARGUMENTS[name].keys().isdisjoint(parameters)


@pytest.mark.parametrize("name", WHERE)
def test_what_is_said_to_be_elsewhere_in_torch_is(name: str) -> None:
    assert callable(look_up(WHERE[name]))
    with pytest.raises(AttributeError):
        look_up(name)
