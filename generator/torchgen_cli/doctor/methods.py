"""Which methods code asks for: by their names, the classes of objects, and the arguments."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from .kept import kept
from .naming import OPTIONS, is_file, is_of_project, looked_up_in, texts_of
from .project import Module, Project
from .syntax import (
    FUNCTIONS,
    Function,
    defaults_of,
    has_stars,
    last_name,
    receiver,
    written,
)
from .variables import values_of

# asks for a method by a name that is not written
ANY_METHOD = "any method"
DELEGATING = {"__getattr__", "__getattribute__"}
# decorators that leave the arguments of a method as they are
KEEPING = {"abstractmethod", "classmethod", "no_grad", "inference_mode", "staticmethod"}
# functions that take the name of a method as a text
BY_TEXT = ("getattr", "hasattr", "methodcaller")
# what makes objects of Python's own classes
BUILT_IN = ast.Dict | ast.DictComp | ast.JoinedStr | ast.List | ast.ListComp | ast.Set | ast.Tuple
BUILDERS = {"defaultdict", "deque", "dict", "list", "set", "sorted", "str", "tuple"}
Family = frozenset[ast.ClassDef]


@dataclass(frozen=True, eq=False)
class Asked:
    """A method that code asks for."""

    name: str
    family: Family | None = None
    """The classes that the object may be of; None where nothing tells."""
    call: ast.Call | None = None
    """The call of the method, where it is called at once."""
    reads: bool = False
    """Whether it only reads an option, `args.load`, which no method is but a property."""

    def may_be(self, owner: ast.AST, node: ast.AST) -> bool:
        """Whether it may be what a class defines: a method, or a class in it."""
        known = self.family is None or owner in self.family
        if self.reads and isinstance(node, FUNCTIONS) and is_kept_as_it_is(node):
            return False
        fits = self.call is None or not isinstance(node, FUNCTIONS) or takes(node, self.call)
        return known and fits


def asked_by(module: Module, node: ast.AST) -> Iterator[Asked]:
    """The methods that a node asks for, without those below it."""
    if isinstance(node, ast.Attribute):
        root = written(node).partition(".")[0]
        if root not in module.imports or is_of_project(module, root):
            around = module.parents[node]
            call = around if isinstance(around, ast.Call) and around.func is node else None
            reads = call is None and OPTIONS.match(last_name(node.value)) is not None
            yield Asked(node.attr, family_of(module, node.value), call, reads)
    elif isinstance(node, ast.Call):
        name = last_name(node.func)
        if name in BY_TEXT:  # getattr(model, "encode")
            yield from (Asked(text) for one in node.args for text in texts_of(module, one))
        owner = looked_up_in(module, node)
        if owner is not None and not is_file(module, owner):
            yield Asked(ANY_METHOD, family_of(module, owner))
        elif name == "Fire":
            yield Asked(ANY_METHOD)


def takes(method: Function, call: ast.Call) -> bool:
    """Whether a method has a place for each argument of a call, and gets what it needs."""
    given = method.args
    decorated = decorators_of(method)
    if has_stars(call) or given.posonlyargs or not is_kept_as_it_is(method):
        return True
    places = [one.arg for one in given.args]
    fits = "staticmethod" not in decorated and accepts(method, places[1:], call)
    # the object is given where a class is asked: Base.forward(self, x)
    owner = receiver(call)
    of_class = owner is not None and last_name(owner)[:1].isupper()
    unbound = "staticmethod" in decorated or (of_class and "classmethod" not in decorated)
    return fits or (unbound and accepts(method, places, call))


def decorators_of(method: Function) -> set[str]:
    """The names of a method's decorators."""
    return {last_name(getattr(one, "func", one)) for one in method.decorator_list}


def is_kept_as_it_is(method: Function) -> bool:
    """Whether no decorator changes what a method is, or its arguments."""
    return decorators_of(method) <= KEEPING


def accepts(method: Function, places: list[str], call: ast.Call) -> bool:
    """Whether a method whose parameters are left to fill takes the arguments of a call."""
    given = method.args
    if given.vararg is None and len(call.args) > len(places):
        return False
    keywords = {one.arg for one in call.keywords}
    needed = [one for one in places[len(call.args) :] if one not in defaults_of(method)]
    known = given.kwarg is not None or keywords <= {*places, *(k.arg for k in given.kwonlyargs)}
    return known and keywords.issuperset(needed)


def family_of(module: Module, owner: ast.expr) -> Family | None:
    """The classes of which an object may be, with all that derive from them or they from."""
    if isinstance(owner, ast.Call):
        around = module.class_of(owner) if last_name(owner.func) == "super" else None
        return family(module.project, around) if around else made_by(module, owner)
    if isinstance(owner, ast.Name):
        if owner.id in ("self", "cls"):
            around = module.class_of(owner)
            return family(module.project, around) if around else None
        named = module.project.classes_named(module, owner) or []
        if named:
            return together(family(module.project, one) for _, one in named)
        return together(made_by(module, one) for one in values_of(module, owner))
    return made_by(module, owner)


def together(found: Iterator[Family | None]) -> Family | None:
    """All of the classes; None where there are none, or one cannot be told."""
    all_of_them = list(found)
    known = [one for one in all_of_them if one is not None]
    whole = bool(known) and len(known) == len(all_of_them)
    return frozenset().union(*known) if whole else None


def made_by(module: Module, value: ast.expr | None, depth: int = 2) -> Family | None:
    """The classes of what a call of a class makes; none of the project for a list or a text."""
    if isinstance(value, ast.IfExp):
        return together(made_by(module, one, depth) for one in (value.body, value.orelse))
    if isinstance(value, ast.Attribute) and depth:
        kept_there = stored(module.project).get(value.attr, ())
        return together(made_by(other, one, depth - 1) for other, one in kept_there)
    if isinstance(value, BUILT_IN):
        return frozenset()
    if not isinstance(value, ast.Call):
        return None
    named = module.project.classes_named(module, value.func) or []
    if not named and isinstance(value.func, ast.Name) and value.func.id in BUILDERS:
        return frozenset()
    return together(family(module.project, one) for _, one in named)


@kept
def stored(project: Project) -> dict[str, list[tuple[Module, ast.expr | None]]]:
    """What the attributes of all objects are set to, by their names; None where nothing tells."""
    found: dict[str, list[tuple[Module, ast.expr | None]]] = defaultdict(list)
    for module in project.modules:
        for node in module.attributes:
            if not isinstance(node.ctx, ast.Load):
                parent = module.parents[node]
                value = parent.value if isinstance(parent, ast.Assign) else None
                found[node.attr].append((module, value))
        for statement in (one for kind in module.classes for one in kind.body):
            for name in defined_by(statement):  # the attribute may mean this, too
                found[name].append((module, None))
        for call in module.calls.get("setattr", ()):
            for text in call.args[1:2]:
                if isinstance(text, ast.Constant):
                    found[str(text.value)].append((module, None))
    return found


def defined_by(statement: ast.stmt) -> list[str]:
    """The names that a statement of a class gives a value."""
    if isinstance(statement, FUNCTIONS):
        return [statement.name]
    if isinstance(statement, ast.AnnAssign):
        return [written(statement.target)]
    return [written(one) for one in statement.targets] if isinstance(statement, ast.Assign) else []


def family(project: Project, node: ast.ClassDef) -> Family | None:
    """A class, and all that derive from it or it from; None where one hands its attributes on."""
    found = families(project)[node]
    return None if has_delegate(found) else found


@kept
def has_delegate(group: Family) -> bool:
    """Whether one of the classes answers for attributes that it does not have."""
    return any(map(delegates, group))


@kept
def families(project: Project) -> dict[ast.ClassDef, Family]:
    """The classes that have ancestors or heirs in common."""
    root: dict[ast.ClassDef, ast.ClassDef] = {}

    def find(node: ast.ClassDef) -> ast.ClassDef:
        while root.setdefault(node, node) is not node:
            node = root[node]
        return node

    known = [node for module in project.modules for node in module.classes]
    for node in known:
        for base in node.bases:
            for _, other in project.classes.get(last_name(base), ()):
                root[find(node)] = find(other)
    members: dict[ast.ClassDef, list[ast.ClassDef]] = defaultdict(list)
    for node in known:
        members[find(node)].append(node)
    return {one: frozenset(group) for group in members.values() for one in group}


@kept
def lines(project: Project) -> list[frozenset[ast.ClassDef]]:
    """For each class: itself, and all from which it derives, as far as names tell."""
    above = {
        node: [one for base in node.bases for _, one in project.classes.get(last_name(base), ())]
        for module in project.modules
        for node in module.classes
    }
    found = []
    for node in above:
        line = [node]
        for one in line:  # it grows
            line += [other for other in above[one] if other not in line]
        found.append(frozenset(line))
    return found


@kept
def bases_of_libraries(project: Project, node: ast.ClassDef) -> frozenset[str]:
    """The classes of libraries from which a class and its family derive."""
    names = {last_name(base) for one in families(project)[node] for base in one.bases}
    return frozenset(names - set(project.classes))


def delegates(node: ast.ClassDef) -> bool:
    """Whether a class answers for attributes that it does not have."""
    wraps = any(last_name(base).endswith(("Proxy", "Wrapper")) for base in node.bases)
    return wraps or any(isinstance(one, FUNCTIONS) and one.name in DELEGATING for one in node.body)
