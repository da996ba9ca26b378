"""`torchgen new`: render a project in a scratch folder, commit it, move it to its target."""

import contextlib
import json
import os
import re
import shlex
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any

from .base.errors import FULL, Interrupted, UserError
from .base.git import GIT_LOCATIONS, GitError
from .base.output import EXTRA, printing
from .base.project import ANSWERS_FILE, ignored
from .base.repository import Repository, first_commit, next_commit
from .base.staging import check_target, project_in, published, scratch_folder, staged
from .questions.answers import Answer
from .questions.question import as_text
from .questions.questionnaire import Questionnaire
from .recipes import Recipe
from .template.source import Template, installed


@dataclass(frozen=True)
class Order:
    """What to write and where."""

    path: str
    """The folder as the user wrote it."""
    given: Mapping[str, Answer]
    """Checked answers."""
    questionnaire: Questionnaire
    template: Template | None
    """The template of `--source`; None for the installed one."""
    prompts: IO[str] | None
    """The terminal for questions; None to ask nothing."""
    dry_run: bool
    git: bool
    recipe: Recipe | None = None
    """Edits to make in the project, as a commit of their own."""

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
    notes: list[str]
    next: list[str]
    source: str
    version: str | None
    recipe: str | None
    dry_run: bool

    def to_json(self) -> str:
        return json.dumps(
            {
                "path": str(self.path),
                "answers": self.answers,
                "files": self.files,
                "git": asdict(self.repository),
                "notes": self.notes,
                "next": self.next,
                "template": {"source": self.source, "version": self.version},
                "recipe": self.recipe,
                "dry_run": self.dry_run,
            }
        )


def create(
    order: Order,
    show: Callable[[dict[str, Any], dict[str, str]], None],
    report: Callable[[Project], None],
) -> None:
    """Write the project; `show` gets the answers, and the files they are from.

    `report` prints the result after the project is in place, so that a program can use it at once.
    If anything fails, a full disk under the output included, the project is removed again; a reader
    that has read enough is no failure. Raises `UserError` or `Interrupted`.
    """
    check_target(order.target)
    for name in GIT_LOCATIONS:  # so that git, ours or Copier's, uses this repository
        os.environ.pop(name, None)
    place = scratch_folder(Path(tempfile.gettempdir())) if order.dry_run else staged(order.target)
    with place as scratch:
        project = project_in(scratch, order.target)
        rendered = _render(order, scratch, project)
        if order.recipe:
            order.recipe.check(rendered.answers)
        with printing():
            show(rendered.answers, rendered.origins)
        if order.git and not order.dry_run:
            repository = first_commit(project, f"Start {rendered.package}")
        else:
            repository = Repository(False, None, None)
        if order.recipe:
            order.recipe.apply(project, rendered.package, rendered.answers)
            if repository.created:
                next_commit(project, f"Follow the recipe {order.recipe.name}")
        kept = [
            path.name for path in project.iterdir() if os.path.lexists(order.target / path.name)
        ]
        files = [name for name in _files(project) if name not in kept]
        written = Project(
            path=order.target,
            answers=rendered.answers,
            files=files,
            repository=repository,
            notes=list(_kept_notes(project, kept)),
            next=_next_commands(order, rendered),
            source=rendered.source,
            version=rendered.version,
            recipe=order.recipe.name if order.recipe else None,
            dry_run=order.dry_run,
        )
        in_place = contextlib.nullcontext() if order.dry_run else published(project, order.target)
        with in_place, printing():
            if not order.dry_run and not repository.created:
                with contextlib.suppress(GitError):  # not in a repository
                    written.notes.extend(filter(None, [ignored(order.target, files)]))
            report(written)


def _kept_notes(project: Path, kept: list[str]) -> Iterator[str]:
    """A line about the files of a new repository that stay as they are."""
    kept = [name for name in kept if name != ".git"]
    if kept:
        yield f"{' and '.join(sorted(kept))} stayed as in the repository"
    if ".gitignore" in kept:
        lines = (project / ".gitignore").read_text(encoding="utf-8").splitlines()
        rules = " ".join(line for line in lines if line and line[0] not in "#!")
        yield f"add to .gitignore what the project needs there: {rules}"


def _files(project: Path) -> list[str]:
    """The project's files, without its repository."""
    paths = (path.relative_to(project) for path in project.rglob("*") if path.is_file())
    return sorted(path.as_posix() for path in paths if path.parts[0] != ".git")


@dataclass(frozen=True)
class _Rendered:
    answers: dict[str, Any]
    origins: dict[str, str]
    package: str
    source: str
    version: str | None


def _render(order: Order, scratch: Path, project: Path) -> _Rendered:
    """Let Copier ask the open questions, and render into the folder `project`."""
    import copier  # 0.3 s, only where something is rendered

    from .template.render import quick_copier, stamped

    template = order.template or installed(scratch)
    if template.warning:
        print(f"warning: {template.warning}", file=sys.stderr)
    with _refusals(order):
        # Copier's prompts go to sys.stdout, which may be for a program that reads --json.
        with quick_copier(), contextlib.redirect_stdout(order.prompts or sys.stderr):
            final = {name: answer.text for name, answer in order.given.items() if answer.final}
            typed = order.questionnaire.typed
            worker = copier.run_copy(
                str(template.folder),
                project,
                data={**typed(final), "torchgen_stamp": template.stamp},
                user_defaults=typed({n: a.text for n, a in order.given.items() if not a.final}),
                defaults=not order.prompts,
                quiet=True,
                settings=copier.Settings(),  # not the user's defaults for any template
            )
        record = stamped(project / ANSWERS_FILE, template.stamp)
    everything = worker.answers.user  # in the order of the questions, computed ones included
    strange = sorted(final.keys() - (everything.keys() - worker.answers.hidden))
    if strange:
        listed = ", ".join(strange)
        raise UserError(f"{_name_of(order)} does not ask for {listed} with these answers")
    answers = {name: record[name] for name in everything if name in record}
    origins = _origins(order, answers)
    package = str(everything.get("package_name", order.target.name))
    return _Rendered(answers, origins, package, record["_src_path"], record.get("_commit"))


def _origins(order: Order, answers: Mapping[str, Any]) -> dict[str, str]:
    """The file that each answer is from, unless the user chose another answer."""
    return {
        name: answer.origin
        for name, answer in order.given.items()
        if answer.origin and name in answers and as_text(answers[name]) == answer.text
    }


@contextlib.contextmanager
def _refusals(order: Order) -> Iterator[None]:
    """Turn errors of Copier, Jinja and git into one line."""
    from copier.errors import CopierError, InteractiveSessionError
    from jinja2 import TemplateError

    try:
        yield
    except KeyboardInterrupt as error:  # Ctrl-C at a prompt, which the terminal sends as a key
        raise Interrupted(signal.SIGINT) from error
    except InteractiveSessionError as error:
        raise UserError(
            "the input ended at a question; answer with flags, or use --defaults"
        ) from error
    except (CopierError, TemplateError, ValueError, OSError) as error:
        if isinstance(error, OSError) and error.errno in FULL:
            raise  # not the template's fault; `scratch_folder` adds where
        message = getattr(error, "stderr", None) or str(error)  # of a git command: git's output
        question = re.search(r"question '(\w+)'|Invalid choice for '(\w+)'", message)
        asked = order.given.get(question[1] or question[2]) if question else None
        by_flag = asked and not asked.origin
        raise UserError(f"{_name_of(order)}: {message}", 2 if by_flag else 1) from error


def _name_of(order: Order) -> str:
    """The template's name in messages."""
    if not order.template:
        return "the template"
    return f"the template at {order.template.stamp['_src_path']}"


def _next_commands(order: Order, rendered: _Rendered) -> list[str]:
    """The commands that install and train the project, for these answers."""
    # cd would take -x as a flag, and - and +1 as earlier folders
    path = f"./{order.path}" if order.path.startswith(("-", "+")) else order.path
    quoted = f'"{path}"' if os.name == "nt" else shlex.quote(path)
    enter = "" if order.target == Path.cwd() else f"cd {quoted} && "
    several = rendered.answers.get("parallelism", "single") != "single"
    start = "torchrun --nproc-per-node 2 -m" if several else "python -m"
    return [
        f"{enter}pip install -e {EXTRA}",
        f"python -m {rendered.package}.prepare --demo",
        f"{start} {rendered.package}.train",
    ]
