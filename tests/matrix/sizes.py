"""How large projects are, measured on what is rendered: the table of docs/size.md.

`make size` writes the page anew.
"""

import io
import json
import re
import tempfile
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from . import renderings
from .answers import EXTRAS, ROOT, SETS, Answers, folder_of, name_of, needs, questions, with_extras
from .commands import Project, environment
from .renderings import PACKAGE, files

Trees = Mapping[str, Path]
PAGE = ROOT / "docs" / "size.md"
README = ROOT / "README.md"
# the parts of the README's tree, and what each is for
PARTS = {
    "model.py": "the model and its settings",
    "task.py": "targets, loss, metrics, the order of samples",
    "augment.py": "random changes to training images",
    "optim.py": "the optimizer and the schedule",
    "config.py": "every setting, each a flag of train",
    "train.py": "the training loop",
    "evaluate.py, predict.py, prepare.py": "the other commands",
    "data/": "from files to batches on the device",
    "engine/": "steps, evaluation, checkpoints, resume, logs",
    "base/": "seeds, processes, signals, flags",
}
DEFAULT = SETS[0]
CODE = (".py", ".html", ".css", ".js")
# what is still above its ceiling, by the beginning of its row: it must not grow
ABOVE = {
    "tokens per line of the package": 7.15,
    "extra `report`: tokens": 8.2,
    "extra `verify`: tokens": 7.9,
    "extra `sweep`: tokens": 7.0,
    "extra `look`: tokens": 7.0,
    "extra `check-data`: tokens": 8.2,
    "extra `finetune`: tokens": 7.2,
    "extra `augmentations`: tokens": 8.3,
}
LAYOUT = {
    *(tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT),
    *(tokenize.COMMENT, tokenize.ENCODING, tokenize.ENDMARKER),
}
# lines of an extra's package; its own tests have at most 250
OF_EXTRAS = {"report": 650, "serve": 650, "look": 650, "export": 650, "verify": 900}
# files that a change of an answer touches, the record of the answers among them
OF_CHANGES = {"parallelism": 6, "amp": 3, "logger": 5, "data_format": 5}
RUN = f"""
import dataclasses, json, runpy, sys
from pathlib import Path
sys.argv[1:] = sys.argv[1].split()
try:
    runpy.run_module("{PACKAGE}.train", run_name="__main__", alter_sys=True)
except SystemExit as end:
    assert not end.code, end.code
from {PACKAGE}.config import Config
from {PACKAGE}.model import ModelConfig
loaded = {{m.__file__ for n, m in list(sys.modules.items()) if n.split(".")[0] == "{PACKAGE}"}}
loaded.add("{PACKAGE}/train.py")
sources = {{str(Path(name).resolve()): Path(name).read_text().count("\\n") for name in loaded}}
own = {{field.name for field in dataclasses.fields(ModelConfig)}}
settings = [field.name for field in dataclasses.fields(Config) if field.name not in own]
print(json.dumps([len(settings), len(sources), sum(sources.values())]))
"""


class Row(NamedTuple):
    """A size and its ceiling."""

    what: str
    found: float
    ceiling: float

    def __str__(self) -> str:
        found = f"{self.found:,}"
        found = found if self.found <= self.ceiling else f"**{found}**"
        return f"| {self.what} | {found} | {self.ceiling:,} |"

    def grows(self) -> bool:
        """Whether it is above its ceiling, and above what is known of that."""
        known = (size for what, size in ABOVE.items() if self.what.startswith(what))
        return self.found > max([self.ceiling, *known])


def lines(tree: Path, *prefixes: str) -> int:
    """Lines of code in the files whose names begin so."""
    return sum(
        content.count(b"\n")
        for name, content in files(tree)
        if name.startswith(prefixes) and name.endswith(CODE)
    )


def tokens_per_line(tree: Path, *prefixes: str) -> float:
    """Tokens of Python without comments and layout, over lines of any kind."""
    count = total = 0
    for name, content in files(tree):
        if name.startswith(prefixes) and name.endswith(".py"):
            text = content.decode()
            found = tokenize.generate_tokens(io.StringIO(text).readline)
            count += sum(token.type not in LAYOUT for token in found)
            total += text.count("\n")
    return round(count / total, 2)


def touched(one: Path, other: Path) -> int:
    """Files that differ between two projects, and the record of the answers."""
    before, after = dict(files(one)), dict(files(other))
    names = before.keys() | after.keys()
    return 1 + sum(before.get(name) != after.get(name) for name in names)


def loaded_by_training(tree: Path) -> tuple[int, int, int]:
    """Settings besides the model's; modules and lines that a short run loads."""
    with tempfile.TemporaryDirectory() as scratch:
        own = environment(Path(scratch, "home")) | {"PYTHONPATH": str(tree)}
        project = Project(tree, own | {"PYTHONDONTWRITEBYTECODE": "1"}, warm=False)
        data, run = Path(scratch, "data"), Path(scratch, "run")
        project.run("prepare", "--demo", "--data-dir", data)
        flags = f"--data-dir {data} --run-dir {run} --epochs 1 --max-samples 64 --num-workers 0"
        said = project.python("-c", RUN, f"{flags} --batch-size 32 --device cpu")
    settings, modules, count = json.loads(said.splitlines()[-1])
    return settings, modules, count


def conditions() -> tuple[int, int]:
    """Lines of the template with a condition: all but tests and README; in data/ and engine/."""
    template = ROOT / "template"
    found, machinery = 0, 0
    for path in template.rglob("*"):
        name = path.relative_to(template).as_posix()
        if path.is_file() and not name.startswith(("tests/", "README", "variants/")):
            count = len(re.findall(r"^.*\{%.*$", path.read_text(encoding="utf-8"), re.MULTILINE))
            found += count
            # a whole-file variant is one line that includes it
            if re.search(r"/(data|engine)/", name) and count:
                text = path.read_text(encoding="utf-8").strip()
                machinery += 0 if re.fullmatch(r"\{% include [^%]+ %\}", text) else count
    return found, machinery


def rows(trees: Trees, extra_trees: Trees) -> Iterable[Row]:
    """Each size of the table."""
    default = trees[name_of(DEFAULT)]
    package = f"{PACKAGE}/"
    yield Row(
        "package without extras, single and imagefolder: lines", lines(default, package), 2800
    )
    count = sum(name.startswith(package) for name, _ in files(default))
    yield Row("its files", count, 36)
    # preflight.py comes with several processes, besides
    packages = {
        name_of(a): lines(trees[name_of(a)], package)
        - lines(trees[name_of(a)], f"{package}preflight")
        for a in SETS
    }
    largest = max(packages, key=packages.__getitem__)
    what = f"package of any set without extras and preflight.py (largest: {largest})"
    yield Row(what, packages[largest], 3300)
    settings, modules, count = loaded_by_training(default)
    yield Row("settings besides the model's own", settings, 32)
    yield Row("modules that a training run loads", modules, 32)
    yield Row("lines that a training run loads", count, 2400)
    yield Row("tests: lines", lines(default, "tests/"), 400)
    for name, ceiling in (("README.md", 130), ("AGENTS.md", 60)):
        content = max((tree / name).read_bytes().count(b"\n") for tree in trees.values())
        yield Row(f"{name}: lines, without extras", content, ceiling)
    yield Row("tokens per line of the package", tokens_per_line(default, package), 6.8)
    for extra in EXTRAS:
        yield from of_extra(extra, trees, extra_trees)
    for question, ceiling in OF_CHANGES.items():
        others = [DEFAULT | {question: choice} for choice in questions()[question][1:]]
        if question == "parallelism":
            others = others[:1]
        most = max(touched(default, trees[name_of(answers)]) for answers in others)
        example = "=ddp" if question == "parallelism" else ""
        yield Row(f"files that `set {question}{example}` touches", most, ceiling)
    everywhere, machinery = conditions()
    yield Row("lines with a condition in the template, tests and README apart", everywhere, 250)
    yield Row("of these in data/ and engine/", machinery, 0)


def of_extra(extra: str, trees: Trees, extra_trees: Trees) -> Iterable[Row]:
    """The sizes of an extra."""
    tree = extra_trees[name_of(with_extras(DEFAULT, extra))]
    folder = folder_of(extra)
    own = f"{PACKAGE}/{folder}/"
    ceiling = OF_EXTRAS.get(extra, 450)
    yield Row(f"extra `{extra}`: lines of its package", lines(tree, own), ceiling)
    yield Row(f"extra `{extra}`: its own tests", lines(tree, f"tests/{folder}/"), 250)
    if any(name.startswith(own) and name.endswith(".py") for name, _ in files(tree)):
        yield Row(f"extra `{extra}`: tokens per line", tokens_per_line(tree, own), 6.8)
    if extra == "report":
        yield Row("extra `report`: files", sum(n.startswith(own) for n, _ in files(tree)), 7)
    if extra == "verify":
        yield Row("`tests/machinery/`", lines(tree, "tests/machinery/"), 4500)
    if extra not in HOOKLESS:
        base = trees[name_of(DEFAULT)] if not needs(extra) else None
        if base is not None:
            yield Row(f"extra `{extra}`: lines in the experiment's files", hooks(base, tree), 8)


HOOKLESS = ("verify", "export", "serve", "sweep", "look", "perf", "check-data")


def hooks(base: Path, tree: Path) -> int:
    """The lines that an extra adds to the files of the package that are there without it."""
    before, after = dict(files(base)), dict(files(tree))
    count = 0
    for name in before.keys() & after.keys():
        if name.startswith(f"{PACKAGE}/"):
            old = before[name].decode().splitlines()
            count += sum(line not in old for line in after[name].decode().splitlines())
    return count


def tree_of(project: Path) -> str:
    """The README's tree: the lines of each part of a project."""
    package = f"{PACKAGE}/"
    count = sum(name.startswith(package) for name, _ in files(project))
    rows = {"myproj/": (lines(project, package), f"lines in {count} files")}
    for part, what in PARTS.items():
        found = lines(project, *(package + name for name in part.split(", ")))
        rows[f"  {part}"] = found, what
    rows["tests/"] = lines(project, "tests/"), "your own code's tests"
    return "".join(f"{name:<38}{found:>6,}  {what}\n" for name, (found, what) in rows.items())


def page(found: Sequence[Row]) -> str:
    """docs/size.md."""
    return (
        "# How large a project is\n\n"
        "Measured on what is rendered: lines of Python with docstrings and blanks, formatted by\n"
        "`ruff format` at 100 columns; HTML, CSS and JavaScript count as well. Bold: not below\n"
        "its ceiling yet. CI fails if that grows, or anything else is above. Written by\n"
        "`make size`.\n\n"
        "| what | now | at most |\n|---|---|---|\n" + "\n".join(map(str, found)) + "\n"
    )


def main() -> int:
    """Write the page, and the README's tree; fails where a ceiling is broken."""
    sets: list[Answers] = [with_extras(DEFAULT, extra) for extra in EXTRAS]
    with tempfile.TemporaryDirectory() as folder:
        trees = renderings.Trees(Path(folder, "sets"))
        extra_trees = renderings.Trees(Path(folder, "extras"), sets)
        found = list(rows(trees, extra_trees))
        before, _, rest = README.read_text(encoding="utf-8").partition("```text\n")
        after = rest[rest.index("```") :]
        text = before + "```text\n" + tree_of(trees[name_of(DEFAULT)]) + after
    README.write_text(text, encoding="utf-8")
    PAGE.write_text(page(found), encoding="utf-8")
    print(page(found).partition("| what")[2])
    return int(any(row.grows() for row in found))


if __name__ == "__main__":
    raise SystemExit(main())
