"""The command in a process of its own, as in the generator's tests; the matrix's renderings."""

from tests.generator.conftest import env, git, torchgen
from tests.matrix.conftest import shared, trees

__all__ = ["env", "git", "shared", "torchgen", "trees"]
