"""Where what is made of a value goes in a function: is all of it cut off from the graph?"""

import ast

from ...project import Module
from ...syntax import FUNCTIONS, last_name, parameters, receiver, walk

# attributes and methods whose result has no graph
ENDS = {"data", "detach", "item", "tolist", "argmax", "argmin", "argsort", "nonzero"}
ENDS |= {"eq", "ne", "gt", "ge", "lt", "le", "isnan", "isinf"}
ENDS |= {"shape", "size", "dim", "ndim", "numel", "dtype", "device", "requires_grad", "is_cuda"}
# calls whose result has no graph
PLAIN = {"print", "len", "float", "int", "bool", "isinstance", "type", "str", "round", "range"}
PLAIN |= {"argmax", "argmin", "argsort", "no_grad"}
# what returns values and their places, of which the latter have no graph
PAIRS = {"max", "min", "topk", "sort", "median", "mode", "kthvalue", "cummax", "cummin"}
ADDING = {"append", "extend", "insert"}
# what holds a value, or computes from it
PASSING = ast.BinOp | ast.UnaryOp | ast.BoolOp | ast.Tuple | ast.List | ast.Dict | ast.Starred
PASSING |= ast.ListComp | ast.GeneratorExp | ast.keyword | ast.Slice
# what asks of a value, or shows it
ENDING = (ast.Compare, ast.FormattedValue, ast.JoinedStr, ast.If, ast.While, ast.Assert, ast.Expr)


class Uses:
    """What happens in a function to the results of some calls, and to all that is made of them."""

    def __init__(self, module: Module, scope: ast.AST, calls: list[ast.Call]) -> None:
        """Follow the results, until one goes where it may be used in any way."""
        self.module, self.scope = module, scope
        self.cut_by: set[str] = set()
        """The attributes and methods that cut it off: "data", "detach"."""
        self.places: list[ast.AST] = list(calls)
        """The calls, and where names that hold something of their results are read."""
        self.names: set[str] = set()
        self.outer = {
            name
            for node in walk(scope)
            if isinstance(node, ast.Global | ast.Nonlocal)
            for name in node.names
        }
        self.all_cut = self.follow_all()

    def follow_all(self) -> bool:
        """Whether all that is made of the results is cut off from the graph."""
        reads = [
            node
            for node in walk(self.scope)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        ]
        told: set[str] = set()
        pending: list[ast.AST] = list(self.places)
        while pending:
            if not all(self.follow(one) for one in pending):
                return False
            new = self.names - told
            told |= new
            pending = [one for one in reads if one.id in new]
            self.places += pending
        return True

    def follow(self, node: ast.AST) -> bool:
        """Whether a value is cut off, or goes into a name that is followed as well."""
        while True:
            around = self.module.parents[node]
            if isinstance(around, ast.Attribute):
                end = self.cut(around)
                if end is not None:
                    return end
                node = self.module.parents[around] if self.is_called(around) else around
            elif isinstance(around, ast.Call):
                kept = receiver(around)
                if last_name(around.func) in PLAIN:
                    return True
                if last_name(around.func) in ADDING and kept is not None:
                    return self.keep(kept) and not self.is_given(kept)
                node = around
            elif isinstance(around, ast.Subscript):
                if node is around.slice or takes_places(around):
                    return True
                node = around
            elif isinstance(around, ast.IfExp):
                if node is around.test:
                    return True
                node = around
            elif isinstance(around, PASSING):
                node = around
            else:
                return self.ends(around, node)

    def cut(self, attribute: ast.Attribute) -> bool | None:
        """Whether an attribute cuts a value off; None where it goes on in the result."""
        if attribute.attr in ENDS:
            self.cut_by.add(attribute.attr)
            return True
        if attribute.attr in ADDING:
            return True  # what the list holds is followed where it is read
        # fails for what has a graph: there is none
        return False if attribute.attr in ("numpy", "backward") else None

    def is_called(self, attribute: ast.Attribute) -> bool:
        """Whether it is a method that is called."""
        around = self.module.parents[attribute]
        return isinstance(around, ast.Call) and around.func is attribute

    def ends(self, around: ast.AST, node: ast.AST) -> bool:
        """Whether a value that reaches a statement goes into names, or nowhere."""
        if isinstance(around, ast.Assign):
            return all(self.keep(one) for one in taken(around))
        if isinstance(around, ast.AugAssign):
            return self.keep(around.target)
        if isinstance(around, ast.For | ast.comprehension):
            return node is not around.iter or self.keep(around.target)
        kept_elsewhere = isinstance(around, ast.Expr) and isinstance(node, ast.Call)
        return isinstance(around, ENDING) and not kept_elsewhere

    def keep(self, target: ast.expr) -> bool:
        """Whether what holds a value from now on is a name of the function, which is followed."""
        if isinstance(target, ast.Tuple | ast.List):
            return all(self.keep(one) for one in target.elts)
        if isinstance(target, ast.Subscript) and self.is_given(target.value):
            return False
        owner = target
        while isinstance(owner, ast.Subscript | ast.Starred):
            owner = owner.value
        if not isinstance(owner, ast.Name) or owner.id in self.outer:
            return False
        self.names.add(owner.id)
        return True

    def is_given(self, node: ast.expr) -> bool:
        """Whether it is a parameter of the function, which the caller keeps."""
        return isinstance(self.scope, FUNCTIONS) and last_name(node) in parameters(self.scope)


def takes_places(node: ast.Subscript) -> bool:
    """Whether it is the second of what `max` and the like return: `scores.max(1)[1]`."""
    pair = isinstance(node.value, ast.Call) and last_name(node.value.func) in PAIRS
    return pair and isinstance(node.slice, ast.Constant) and node.slice.value == 1


def taken(statement: ast.Assign) -> list[ast.expr]:
    """The targets of an assignment that get something with a graph."""
    target, value = statement.targets[0], statement.value
    pair = isinstance(value, ast.Call) and last_name(value.func) in PAIRS
    if pair and isinstance(target, ast.Tuple) and len(target.elts) == 2:
        return [target.elts[0]]
    return statement.targets
