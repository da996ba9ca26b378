"""All mutants."""

from . import of_data, of_ranks, of_state, of_steps
from .mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *(*of_steps.MUTANTS, *of_state.MUTANTS, *of_data.MUTANTS, *of_ranks.MUTANTS),
)
