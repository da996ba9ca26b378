"""Which releases of torch and of other libraries a project runs with."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from packaging.version import Version

from .evidence import is_of_old_torch, named_in_readme, used_torch
from .parsed import ParsedFile
from .requirements import lowest_torch, pinned_torch, stays_before


class Versions:
    """What a project's packaging, README and code tell of releases."""

    root: Path

    @property
    def code(self) -> Sequence[ParsedFile]:
        """The files of the project, but for tests."""
        raise NotImplementedError

    @cached_property
    def lowest_torch(self) -> Version | None:
        """The lowest torch that the project's packaging allows, where it says so."""
        return lowest_torch(self.root)

    def needs_torch(self, version: str) -> bool:
        """Whether the project runs on no torch before this version."""
        return self.lowest_torch is not None and self.lowest_torch >= Version(version)

    def uses_torch(self, version: str) -> bool:
        """Whether the code itself runs on no torch before this version."""
        return self._used_torch >= Version(version)

    @cached_property
    def _used_torch(self) -> Version:
        return used_torch(self.code)

    def names_torch_before(self, version: str) -> bool:
        """Whether the packaging allows no torch from this version on, or the README names none.

        A README that names an older torch than the packaging allows was not kept up to date.
        """
        named, lowest = self._named_in_readme, self.lowest_torch or Version("0")
        older = bool(named) and min(named) >= lowest and max(named) < Version(version)
        return self._is_capped(version) or older

    def _is_capped(self, version: str) -> bool:
        """Whether a requirement allows no torch from a version on, under either of its names."""
        return self.stays_before("torch", version) or self.stays_before("pytorch", version)

    @cached_property
    def is_of_old_torch(self) -> bool:
        """Whether the code itself runs on a torch before 1.9 alone."""
        return is_of_old_torch(self.code)

    @cached_property
    def _named_in_readme(self) -> list[Version]:
        return named_in_readme(self.root)

    @cached_property
    def pinned_torch(self) -> Version | None:
        """The torch that the project's packaging names exactly, where it does."""
        return pinned_torch(self.root)

    def stays_before_torch(self, version: str) -> bool:
        """Whether the project is pinned to a torch before this version, or made for one.

        It is made for what its README names, unless the code needs a newer one.
        """
        if self.pinned_torch is not None:
            return self.pinned_torch < Version(version)
        return self.names_torch_before(version) and not self.uses_torch(version)

    @cached_property
    def _kept_back(self) -> dict[tuple[str, str], bool]:
        return {}

    def stays_before(self, library: str, release: str) -> bool:
        """Whether the packaging allows no release of a library from this one on, or the README."""
        if (library, release) not in self._kept_back:
            torch = library in ("torch", "pytorch")  # `stays_before_torch` asks the code too
            named = [] if torch else named_in_readme(self.root, library)
            older = bool(named) and max(named) < Version(release)
            self._kept_back[library, release] = older or stays_before(self.root, library, release)
        return self._kept_back[library, release]
