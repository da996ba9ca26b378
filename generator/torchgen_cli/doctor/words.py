"""The words that stand in the texts of a project: its strings, pages and configurations."""

import ast
import re
from collections import Counter
from collections.abc import Iterable, Iterator

from .documents import documents
from .kept import kept
from .project import Module, Project
from .syntax import walk, written

WORD = re.compile(r"[^\W\d]\w*")


def is_written_elsewhere(project: Project, name: str, own: bytes) -> bool:
    """Whether a name stands in a text of the project more often than in this part of it."""
    here = len(re.findall(rb"\b%s\b" % name.encode(), own))
    return words_of_code(project)[name] > here or name in words_beside(project)


@kept
def words_of_code(project: Project) -> Counter[str]:
    """How often each word stands in the code of a project."""
    return Counter(WORD.findall(b"\n".join(project.contents.values()).decode("utf-8", "replace")))


@kept
def words_beside(project: Project) -> frozenset[str]:
    """The words of the pages, of the configurations and of unreadable code."""
    lines = (line for text in texts_beside(project) for line in set(text.splitlines()))
    return frozenset(
        word for line in lines for word in WORD.findall(line.decode("utf-8", "replace"))
    )


def texts_beside(project: Project) -> list[bytes]:
    """The pages, the configurations and the unreadable code."""
    return [*project.unread.values(), documents(project.root)]


def is_written_as_text(module: Module, node: ast.AST, name: str) -> bool:
    """Whether a name stands in a string outside a part of the code, in a page or configuration.

    In lower case or upper case: `getattr(nets, args.net.upper())`. What copies of it say of
    themselves does not count.
    """
    lower, project = name.lower(), module.project
    copies = {node: module} | {
        one: other
        for other, one in (*project.functions.get(name, ()), *project.classes.get(name, ()))
    }
    own = Counter(
        word.lower() for one, other in copies.items() for word in words_of_strings(other, walk(one))
    )
    return words_of_texts(project)[lower] > own[lower] or lower in words_beside_in_lower_case(
        project
    )


@kept
def words_of_texts(project: Project) -> Counter[str]:
    """How often each word stands in the strings of the code, in lower case."""
    return Counter(
        one.lower()
        for module in project.modules
        for one in words_of_strings(module, module.parents)
    )


@kept
def words_beside_in_lower_case(project: Project) -> frozenset[str]:
    """The words beside the code, in lower case."""
    return frozenset(one.lower() for one in words_beside(project))


@kept
def words_given(project: Project) -> frozenset[str]:
    """The words of the texts of the code that are not compared, and of what is beside the code."""
    return frozenset(
        word
        for module in project.modules
        for node, around in module.parents.items()
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and not isinstance(around, ast.Compare)
        for word in WORD.findall(node.value)
    ).union(words_beside(project))


def words_of_strings(module: Module, nodes: Iterable[ast.AST]) -> Iterator[str]:
    """The words of strings, but for what `__all__` lists and the docstrings of functions."""
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            above = module.parents[node]
            around = module.parents.get(above)
            says = isinstance(above, ast.Expr) and around is not module.tree  # how it is started
            if not says and not (around is not None and is_public(around)):
                yield from WORD.findall(node.value)


def is_public(node: ast.AST) -> bool:
    """Whether it is `__all__ = [...]`."""
    return isinstance(node, ast.Assign) and written(node.targets[0]) == "__all__"
