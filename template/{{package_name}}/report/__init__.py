"""A page about a run: `python -m <package>.report RUN`, and at the end of each training run."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ..base import distributed
from ..base.cli import Settings
from ..base.signals import StopSignal

PACKAGE = __name__.partition(".")[0]
completed: list[Path] = []  # folders of runs that this process has completed


@dataclass(frozen=True)
class ReportConfig(Settings):
    """Flags of `train`."""

    report: bool = True
    """Write report.html into the run's folder at the end of the run."""


@contextmanager
def report_at_end(config: ReportConfig, stop: StopSignal) -> Iterator[None]:
    """Write the report of a run that completes within this context, on leaving it.

    Whatever goes wrong becomes one line: it changes neither the run nor its exit code.
    """
    missing = [name for name in ("jinja2", "matplotlib") if find_spec(name) is None]
    if config.report and missing and distributed.RANK == 0:
        print(f"warning: no report at the end: it needs pip install {' '.join(missing)}")
    yield
    for run_dir in completed if config.report and not missing else ():
        try:
            from .page import write_report  # only here: matplotlib takes a second to import

            print(f"report  {write_report(run_dir, stopped=lambda: stop.number > 0)}", flush=True)
        except Exception as error:
            reason = f"{type(error).__name__}: {error}".splitlines()[0][:160]
            again = f"python -m {PACKAGE}.report {run_dir}"
            print(f"warning: no report ({reason}); write it with {again}", flush=True)
    completed.clear()
