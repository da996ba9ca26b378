"""A project's files, and what only all of them together tell."""

import ast
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from .parsed import ParsedFile
from .python_files import find
from .syntax import FUNCTIONS, Function, last_name, own_nodes, walk

PACKAGING = {"__init__.py", "setup.py", "hubconf.py"}
# frameworks that call set_epoch, zero_grad and so on for their users
FRAMEWORKS = {
    "accelerate",
    "catalyst",
    "composer",
    "deepspeed",
    "ignite",
    "lightning",
    "mmcv",
    "mmengine",
    "pytorch_lightning",
}


class Module(ParsedFile):
    """A file of a project, as rules get it."""

    def __init__(self, name: str, tree: ast.Module, project: "Project") -> None:
        super().__init__(name, tree)
        self.project = project


@dataclass
class Project:
    """All files below a folder, parsed."""

    root: Path
    modules: list[Module] = field(default_factory=list)
    broken: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Files that do not parse: the line, and why."""
    contents: dict[str, bytes] = field(default_factory=dict)
    _contained: dict[bytes, bool] = field(default_factory=dict)

    def add(self, name: str, content: bytes) -> None:
        """Parse a file."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # invalid escapes
                tree = ast.parse(content)
            self.modules.append(Module(name, tree, self))
            self.contents[name] = content
        except SyntaxError as error:
            self.broken[name] = (error.lineno or 1, error.msg)
        except (ValueError, RecursionError, MemoryError) as error:
            self.broken[name] = (1, str(error) or type(error).__name__)

    @cached_property
    def code(self) -> list[Module]:
        """The modules without the tests."""
        return [module for module in self.modules if not module.is_test]

    @cached_property
    def classes(self) -> dict[str, list[tuple[Module, ast.ClassDef]]]:
        """The project's classes by name."""
        found: dict[str, list[tuple[Module, ast.ClassDef]]] = defaultdict(list)
        for module in self.modules:
            for node in module.classes:
                found[node.name].append((module, node))
        return found

    @cached_property
    def functions(self) -> dict[str, list[tuple[Module, Function]]]:
        """The project's functions and methods by name."""
        found = defaultdict(list)
        for module in self.modules:
            for function in module.functions:
                found[function.name].append((module, function))
        return found

    @cached_property
    def callers(self) -> dict[str, list[tuple[Module, ast.Call]]]:
        """Every call in the code, by the last part of what is called."""
        found: dict[str, list[tuple[Module, ast.Call]]] = defaultdict(list)
        for module in self.code:
            for name, calls in module.calls.items():
                found[name].extend((module, call) for call in calls)
        return found

    def near(self, module: Module) -> list[Module]:
        """The modules of the same program; a repository may contain several unrelated ones."""
        return self._programs[self._program_of(module)]

    @cached_property
    def _programs(self) -> dict[str, list[Module]]:
        found: dict[str, list[Module]] = defaultdict(list)
        for module in self.code:
            found[self._program_of(module)].append(module)
        return found

    def _program_of(self, module: Module) -> str:
        """The topmost parent folder of a file that directly contains code."""
        folders = module.name.split("/")[:-1]
        above = ("/".join(folders[:depth]) for depth in range(len(folders)))
        return next((folder for folder in above if folder in self._code_folders), "/".join(folders))

    @cached_property
    def _code_folders(self) -> set[str]:
        paths = (module.name.rpartition("/") for module in self.code)
        return {folder for folder, _, name in paths if name not in PACKAGING}

    def has_framework(self, module: Module) -> bool:
        """Whether a framework runs the training loop, and makes the calls that rules look for."""
        return self._program_of(module) in self._framed

    @cached_property
    def _framed(self) -> set[str]:
        """The programs that import a framework."""
        return {
            self._program_of(module)
            for module in self.code
            for whole in module.imports.values()
            if whole.partition(".")[0] in FRAMEWORKS or whole.startswith("transformers.Trainer")
        }

    def derives(self, module: Module, node: ast.ClassDef, *roots: str, depth: int = 6) -> bool:
        """Whether a class derives from one of these (dotted names, or their last parts)."""
        for written_base in node.bases:
            base = written_base
            if isinstance(base, ast.Subscript):  # Dataset[Batch]
                base = base.value
            whole = module.qualified(base)
            if any(whole == root or whole.endswith(f".{root}") for root in roots):
                return True
            for where, parent in self.classes.get(last_name(base), ()):
                if (
                    depth
                    and parent is not node
                    and self.derives(where, parent, *roots, depth=depth - 1)
                ):
                    return True
        return False

    def is_module_class(self, module: Module, node: ast.ClassDef) -> bool:
        """Whether a class is an `nn.Module`."""
        return self.derives(
            module, node, "nn.Module", "torch.nn.Module", "nn.modules.module.Module"
        )

    def resolve(self, module: Module, call: ast.Call) -> list[tuple[Module, Function]]:
        """The functions a call may refer to: of its file, or imported; methods by name only."""
        name = last_name(call.func)
        if name not in self.functions:
            return []
        found = self.functions[name]
        program = self._program_of(module)
        beside = [one for one in found if self._program_of(one[0]) == program]
        if not isinstance(call.func, ast.Name):
            return beside
        own = [one for one in found if one[0] is module]
        if own or name not in module.imports:
            return own
        source = module.imports[name].rpartition(".")[0].rpartition(".")[2]
        parts = ((one, one[0].name.removesuffix(".py").split("/")) for one in found)
        return beside or [one for one, path in parts if not source or source in path]

    def reaches(
        self, module: Module, scope: ast.AST, holds: Callable[[ast.AST], bool], depth: int = 3
    ) -> bool:
        """Whether `holds` is true for a node below, or in a function called from there.

        Methods are followed by name only, so True may be wrong: use it only to suppress a finding.
        """
        return any(holds(node) for node in self.reached(module, scope, depth))

    def reached(self, module: Module, scope: ast.AST, depth: int = 3) -> Iterator[ast.AST]:
        """The nodes below, and those of functions called from there."""
        seen: set[ast.AST] = {scope}
        pending = [(module, scope, depth)]
        for where, around, left in pending:  # it grows
            for node in own_nodes(around) if isinstance(around, ast.Module) else walk(around):
                yield node
                if not isinstance(node, ast.Call) or not left:
                    continue
                for other, function in self.resolve(where, node):
                    if function not in seen:
                        seen.add(function)
                        pending.append((other, function, left - 1))

    def calls_of(self, module: Module, function: ast.AST) -> Iterator[tuple[Module, ast.Call]]:
        """Where a function of a file is called."""
        if isinstance(function, FUNCTIONS):
            for other, call in self.callers.get(function.name, ()):
                if (module, function) in self.resolve(other, call):
                    yield other, call

    def contains(self, text: bytes) -> bool:
        """Whether a file of the code contains this text."""
        if text not in self._contained:
            self._contained[text] = any(text in self.contents[m.name] for m in self.code)
        return self._contained[text]


def read(root: Path) -> Project:
    """Parse every file of the project at `root`."""
    project = Project(root)
    for name in find(root):
        project.add(name, (root / name).read_bytes())
    return project
