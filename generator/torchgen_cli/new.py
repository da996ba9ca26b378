"""`torchgen new`: render a project beside its place, commit it, move it there."""

import contextlib
import json
import os
import re
import shlex
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from .errors import Interrupted, UserError
from .git import Repository, first_commit
from .provenance import GIT_LOCATIONS
from .source import installed, named
from .staging import check_target, project_in, staged, workshop_in

ANSWERS_FILE = ".copier-answers.yml"


@dataclass(frozen=True)
class Order:
    """What to write, and where."""

    path: str
    """The folder as the user wrote it."""
    given: dict[str, str]
    """Checked answers, which are not asked for again."""
    source: str | None
    """A template other than the installed one."""
    prompts: IO[str] | None
    """The terminal to ask on; None to ask nothing."""
    dry_run: bool
    git: bool

    @property
    def target(self) -> Path:
        return Path(os.path.abspath(self.path))


@dataclass(frozen=True)
class Project:
    """What was written, or would be."""

    path: Path
    answers: dict[str, Any]
    files: list[str]
    repository: Repository
    next: list[str]
    source: str
    version: str | None
    dry_run: bool

    def to_json(self) -> str:
        return json.dumps(
            {
                "path": str(self.path),
                "answers": self.answers,
                "files": self.files,
                "git": asdict(self.repository),
                "next": self.next,
                "template": {"source": self.source, "version": self.version},
                "dry_run": self.dry_run,
            }
        )


def create(order: Order, show: Callable[[dict[str, Any]], None]) -> Project:
    """Write the project, or nothing at all; `show` gets the answers once all are known.

    Raises `UserError` or `Interrupted`.
    """
    check_target(order.target)
    for name in GIT_LOCATIONS:  # no git, ours or Copier's, is to look elsewhere
        os.environ.pop(name, None)
    place = workshop_in(Path(tempfile.gettempdir())) if order.dry_run else staged(order.target)
    with place as workshop:
        project = project_in(workshop, order.target)
        rendered = _render(order, workshop, project)
        show(rendered.answers)
        files = sorted(p.relative_to(project).as_posix() for p in project.rglob("*") if p.is_file())
        if order.git and not order.dry_run:
            repository = first_commit(project, f"Start {rendered.package}")
        else:
            repository = Repository(False, None, None)
        return Project(
            path=order.target,
            answers=rendered.answers,
            files=files,
            repository=repository,
            next=_next_commands(order, rendered),
            source=rendered.source,
            version=rendered.version,
            dry_run=order.dry_run,
        )


@dataclass(frozen=True)
class _Rendered:
    answers: dict[str, Any]
    package: str
    source: str
    version: str | None


def _render(order: Order, workshop: Path, project: Path) -> _Rendered:
    """Let Copier ask what is not answered yet, and render into the folder `project`."""
    import copier  # 0.3 s, only where something is rendered
    import yaml
    from plumbum import local

    template = named(order.source) if order.source else installed(workshop)
    if template.warning:
        print(f"warning: {template.warning}", file=sys.stderr)
    with _refusals(order), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Copier's own, on what `named` has dealt with
        # For a plain folder Copier needs no git, yet would call it once per file, to look after a
        # repository that is only to come: half of the time. It finds git by plumbum's PATH.
        without_git = local.env(PATH="") if template.plain else contextlib.nullcontext()
        # Copier's prompts go to sys.stdout, which may be for a program that reads --json.
        with without_git, contextlib.redirect_stdout(order.prompts or sys.stderr):
            worker = copier.run_copy(
                template.src_path,
                project,
                data={**order.given, "torchgen_stamp": template.stamp},
                vcs_ref=template.vcs_ref,
                defaults=not order.prompts,
                quiet=True,
                settings=copier.Settings(),  # not the user's defaults for any template
            )
        record = yaml.safe_load((project / ANSWERS_FILE).read_text(encoding="utf-8"))
    everything = worker.answers.user  # in the order of the questions, computed ones included
    answers = {name: record[name] for name in everything if name in record}
    strange = sorted(order.given.keys() - answers.keys())
    if strange:
        raise UserError(f"the template at {order.source} does not ask for {', '.join(strange)}")
    package = str(everything.get("package_name", order.target.name))
    return _Rendered(answers, package, record["_src_path"], record.get("_commit"))


@contextlib.contextmanager
def _refusals(order: Order) -> Iterator[None]:
    """Say what Copier, Jinja or git refused in one line."""
    from copier.errors import CopierError, InteractiveSessionError
    from jinja2 import TemplateError

    try:
        yield
    except KeyboardInterrupt as error:  # Ctrl-C at a prompt, which the terminal sends as a key
        raise Interrupted(signal.SIGINT) from error
    except InteractiveSessionError as error:
        raise UserError("the input ended at a question; answer by flags, or --defaults") from error
    except (CopierError, TemplateError, ValueError, OSError) as error:
        message = getattr(error, "stderr", None) or str(error)  # of a git command, what git said
        question = re.search(r"question '(\w+)'|Invalid choice for '(\w+)'", message)
        by_flag = question and (question[1] or question[2]) in order.given
        origin = f"the template at {order.source}" if order.source else "the template"
        raise UserError(f"{origin}: {message}", 2 if by_flag else 1) from error


def _next_commands(order: Order, rendered: _Rendered) -> list[str]:
    """From an empty shell to a trained model, for exactly these answers."""
    quoted = f'"{order.path}"' if os.name == "nt" else shlex.quote(order.path)
    enter = "" if order.target == Path.cwd() else f"cd {quoted} && "
    extra = '".[dev]"' if os.name == "nt" else "'.[dev]'"
    ddp = rendered.answers.get("parallelism") == "ddp"
    start = "torchrun --nproc-per-node 2 -m" if ddp else "python -m"
    return [
        f"{enter}pip install -e {extra}",
        f"python -m {rendered.package}.prepare --demo",
        f"{start} {rendered.package}.train",
    ]
