"""All mutants."""

from . import (
    of_commands,
    of_data,
    of_evaluation,
    of_files,
    of_gradients,
    of_images,
    of_mixing,
    of_optimization,
    of_order,
    of_parameters,
    of_records,
    of_report,
    of_seeds,
    of_settings,
    of_signals,
    of_start,
    of_state,
    of_targets,
)
from .mutant import Mutant

MUTANTS: tuple[Mutant, ...] = (
    *of_seeds.MUTANTS,
    *of_order.MUTANTS,
    *of_images.MUTANTS,
    *of_data.MUTANTS,
    *of_evaluation.MUTANTS,
    *of_parameters.MUTANTS,
    *of_gradients.MUTANTS,
    *of_state.MUTANTS,
    *of_files.MUTANTS,
    *of_signals.MUTANTS,
    *of_records.MUTANTS,
    *of_report.MUTANTS,
    *of_commands.MUTANTS,
    *of_settings.MUTANTS,
    *of_optimization.MUTANTS,
    *of_start.MUTANTS,
    *of_mixing.MUTANTS,
    *of_targets.MUTANTS,
)
