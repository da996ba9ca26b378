"""What `new` prints of the project that it wrote."""

import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..new import Project


def show(answers: dict[str, Any], origins: dict[str, str]) -> None:
    """Print the answers, and the files that they are from."""
    from ..questions import question

    width = max(map(len, answers))
    print()
    for name, answer in answers.items():
        origin = f"  (from {origins[name]})" if name in origins else ""
        print(f"  {name:<{width}}  {question.as_text(answer)}{origin}", flush=True)


def as_json(project: "Project") -> None:
    print(project.to_json(), flush=True)


def as_text(project: "Project") -> None:
    print(_summary(project), flush=True)
    for note in filter(None, [project.repository.note, *project.notes]):
        print(f"note: {note}", file=sys.stderr)


def _summary(project: "Project") -> str:
    """A summary, and the next commands."""
    if project.dry_run:
        files = "".join(f"new      {file}\n" for file in project.files)
        return f"{files}{len(project.files)} new files in {project.path}; nothing was written"
    commit = project.repository.commit
    done = f"Wrote {len(project.files)} files to {project.path}"
    done += f", first commit {commit[:7]}." if commit else "."
    lines = ["", done]
    if project.recipe:
        lines.append(f"It follows the recipe {project.recipe}: RECIPE.md says what that is.")
    return "\n".join([*lines, "", "Next:", *map("  {}".format, _to_type(project.next)), *_HINTS])


def _to_type(commands: list[str]) -> list[str]:
    """The commands, with one that makes a virtual environment if none is active."""
    if os.environ.get("VIRTUAL_ENV") or os.environ.get("CONDA_PREFIX"):
        return commands
    enter, _, install = commands[0].rpartition(" && ")
    make = r"py -m venv .venv && .venv\Scripts\activate"
    if os.name != "nt":
        make = "python3 -m venv .venv && . .venv/bin/activate"  # or: uv venv
    return [" && ".join(filter(None, (enter, make))), install, *commands[1:]]


_HINTS = (
    "",
    "Without a GPU, first:",
    "  pip install torch --index-url https://download.pytorch.org/whl/cpu",
    "With uv, `uv sync` makes the environment and installs it all, with CUDA.",
)
