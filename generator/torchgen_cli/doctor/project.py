"""What checks may ask of a whole project: what its texts say, and which torch it can have."""

import re
from functools import cache, cached_property

OF_TORCH = re.compile(r"""^[\s\-"']*(?:py)?torch["'\s]*(?=[=<>~!(])(.*)$""", re.MULTILINE)
UPPER = re.compile(r"(==?=?|<=|<|~=)\s*v?(\d+)\.(\d+)")


class Project:
    """The text of all files, and of what says which packages they need."""

    def __init__(self, text: str = "", packaging: str = "") -> None:
        self.text = text
        self._packaging = packaging
        self.says = cache(self._says)

    def _says(self, pattern: str) -> bool:
        """Whether a regular expression matches somewhere in the project."""
        return re.search(pattern, self.text) is not None

    @cached_property
    def _torch_below(self) -> tuple[int, int]:
        """The lowest version of torch that packaging excludes: (1, 13) for `torch<1.13`."""
        below = (999, 0)
        for line in OF_TORCH.findall(self._packaging):
            for sign, major, minor in UPPER.findall(re.sub(r"[>!]=\s*[\d.]+", "", line)):
                version = int(major), int(minor)
                if sign == "~=":
                    version = version[0] + 1, 0
                elif sign != "<":
                    version = version[0], version[1] + 1
                below = min(below, version)
        return below

    def allows_torch(self, major: int, minor: int) -> bool:
        """Whether packaging allows this release of torch."""
        return (major, minor) < self._torch_below
