"""The command in a process of its own, as in the tests of the generator."""

from tests.generator.conftest import env, git, torchgen

__all__ = ["env", "git", "torchgen"]
