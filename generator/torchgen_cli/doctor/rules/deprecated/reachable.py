"""Which releases of libraries a project's own packaging and README let one install."""

import re
from itertools import pairwise

from packaging.version import Version

from ...kept import kept
from ...project import Project

# the newest Python that a torch before this one has wheels for
PYTHON_OF_TORCH = {
    "0.4.1": "3.6",
    "1.4": "3.7",
    "1.7.1": "3.8",
    "1.11": "3.9",
    "1.13": "3.10",
}
# and so for other libraries, which have nothing but wheels
PYTHON_OF = {
    "open3d": {"0.10": "3.7", "0.14": "3.8", "0.16": "3.9", "0.18": "3.10"},
    "tensorflow": {"1.13": "3.6", "2.2": "3.7", "2.5": "3.8", "2.8": "3.9"},
    "tensorflow-gpu": {"1.13": "3.6", "2.2": "3.7", "2.5": "3.8", "2.8": "3.9"},
}
PYTHONS = ("3.6", "3.7", "3.8", "3.9", "3.10")
# the last release of a library for each of these
LAST = {
    "albumentations": ("1.3.0", "1.3.1", "1.4.18", "2.0.8", "2.0.8"),
    "datasets": ("2.4", "2.13", "3.1", "4.5", "4.8"),
    "gensim": ("4.2", "4.2", "4.3", "4.4", "4.4"),
    "huggingface_hub": ("0.4", "0.16", "0.36", "1.0", "1.0"),
    "lightgbm": ("3.3", "4.6", "4.6", "4.6", "4.6"),
    "librosa": ("0.9.2", "0.10.2", "0.11", "0.11", "0.11"),
    "matplotlib": ("3.3", "3.5", "3.7", "3.9", "3.10"),
    "networkx": ("2.5", "2.6", "3.1", "3.2", "3.4"),
    "numpy": ("1.19", "1.21", "1.24", "2.0", "2.2"),
    "pandas": ("1.1", "1.3", "2.0", "2.3", "2.3"),
    "pillow": ("8.4", "9.5", "10.4", "11.3", "12.0"),
    "pyyaml": ("6.0", "6.0", "6.0", "6.0", "6.0"),
    "scikit-image": ("0.17", "0.19", "0.21", "0.24", "0.25"),
    "scikit-learn": ("0.24", "1.0", "1.3", "1.6", "1.7"),
    "scipy": ("1.5", "1.7", "1.10", "1.13", "1.15"),
    "tensorflow": ("2.6", "2.11", "2.13", "2.20", "2.20"),
    "torch": ("1.10", "1.13", "2.4", "2.8", "99"),
    "tifffile": ("2020.9.3", "2021.11.2", "2023.7.10", "2024.8.30", "2025.5.10"),
    "transformers": ("4.18", "4.30", "4.46", "4.57", "5.0"),
    "wandb": ("0.18", "0.18", "0.24", "0.31", "0.31"),
    "xgboost": ("1.5", "1.6", "2.1.4", "2.1.4", "3.2"),
}
# releases of scipy before each of these need a numpy before the other
NUMPY_OF_SCIPY = {
    "1.8": "1.23",
    "1.9": "1.25",
    "1.10": "1.26",
    "1.11": "1.27",
    "1.12": "1.28",
    "1.13": "1.29",
}
# and releases of tensorflow
NUMPY_OF_TENSORFLOW = {"2.7": "1.20"}
# the torch that a release needs
TORCH_OF = {
    "pytorch-lightning": {"1.7": "1.9", "1.8": "1.9", "2.0": "1.11"},
    "torchaudio": {"0.9": "1.9", "0.11": "1.11", "2.9": "2.9"},
    "torchtext": {"0.12": "1.11"},
    "torchvision": {
        "0.2.2": "1.1",
        "0.11": "1.10",
        "0.12": "1.11",
        "0.13": "1.12",
        "0.14": "1.13",
        "0.15": "2.0",
        "0.16": "2.1",
        "0.17": "2.2",
    },
}


def is_out_of_reach(project: Project, library: str, release: str) -> bool:
    """Whether a project keeps a library before a release, or its torch or Python do.

    With an old torch that it names goes an old Python, for which newer releases were not made.
    """
    by_others = library == "numpy" and is_held_by_others(project, release)
    by_torch = library == "torch" and project.stays_before_torch(release)
    if by_others or by_torch or project.stays_before(library, release):
        return True
    if library in TORCH_OF:
        return project.stays_before_torch(TORCH_OF[library].get(release, "1.8"))
    python = newest_python(project)
    if python is None:
        return False
    if library == "python":
        return Version(python) < Version(release)
    if library not in LAST:
        return project.stays_before_torch("1.8")
    return Version(LAST[library][PYTHONS.index(python)]) < Version(release)


def is_held_by_others(project: Project, release: str) -> bool:
    """Whether the scipy or tensorflow that the packaging allows needs a numpy before a release."""
    held = {"scipy": NUMPY_OF_SCIPY, "tensorflow": NUMPY_OF_TENSORFLOW}
    held["tensorflow-gpu"] = NUMPY_OF_TENSORFLOW
    return any(
        Version(numpy) <= Version(release) and project.stays_before(library, before)
        for library, numpys in held.items()
        for before, numpy in numpys.items()
    )


@kept
def newest_python(project: Project) -> str | None:
    """The newest Python that the packaging allows, where it is an old one."""
    named = [
        python
        for library, pythons in PYTHON_OF.items()
        for release, python in pythons.items()
        if project.stays_before(library, release)
    ]
    named += [py for torch, py in PYTHON_OF_TORCH.items() if project.stays_before_torch(torch)]
    for python, newer in pairwise(PYTHONS):
        named += [python] if project.stays_before("python", newer) else []
    by_conda = python_of_conda(project)
    return min([*named, by_conda] if by_conda else named, key=Version, default=None)


def python_of_conda(project: Project) -> str | None:
    """The Python that an environment.yml names, where no other file says what is installed."""
    others = ("requirements*.txt", "*/requirements*.txt", "pyproject.toml", "setup.py")
    if any(True for name in others for _ in project.root.glob(name)):
        return None
    for file in project.root.glob("environment.y*ml"):
        found = re.search(r"^\s*- python *=+ *(3\.\d+)", file.read_text("utf-8", "replace"), re.M)
        if found and found[1] in PYTHONS:
            return found[1]
    return None
