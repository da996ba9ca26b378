"""The releases and the projects of the updates' tests."""

from update.conftest import project, world

__all__ = ["project", "world"]
