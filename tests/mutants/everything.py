"""All mutants."""

from . import of_data, of_machinery, of_ranks, of_state, of_steps
from .mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *(*of_steps.MUTANTS, *of_state.MUTANTS, *of_data.MUTANTS),
    *(*of_machinery.MUTANTS, *of_ranks.MUTANTS),
)
