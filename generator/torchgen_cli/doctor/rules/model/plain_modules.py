"""Modules that lose nothing where the model does not know of them."""

import ast

from ...project import Module
from ...syntax import FUNCTIONS, everything, last_name, written
from ..shared.layers import makes_module
from .made_anew import WITH_PARAMETERS

PLAIN_MODULES = ("Upsample", "MaxPool", "AvgPool", "AdaptiveAvgPool", "PixelShuffle", "Softmax")
ACTIVATIONS = ("ReLU", "LeakyReLU", "ELU", "GELU", "SiLU", "Sigmoid", "Tanh", "Identity", "Flatten")
LEARNT = (*WITH_PARAMETERS, "LayerNorm", "GroupNorm", "PReLU", "Transformer", "Parameter")
CONTAINERS = ("Sequential", "ModuleList", "ModuleDict", "ParameterList", "ParameterDict")
REGISTERING_METHODS = {"add_module", "register_module", "register_parameter", "setattr", "extend"}
REGISTERING_METHODS |= {"__setattr__"}


def loses_by_it(module: Module, value: ast.AST) -> bool:
    """Whether it makes a module that misses something where the model does not know of it."""
    return makes_module(module, value) and not is_plain(module, value)


def has_parameters(module: Module, value: ast.AST, depth: int = 4) -> bool:
    """Whether it makes a parameter, a layer that has some, or a module that holds such."""
    if not isinstance(value, ast.Call):
        return False
    if module.is_torch(value.func, *LEARNT):
        return True
    if module.is_torch(value.func, *CONTAINERS):
        return any(has_parameters(module, one, depth) for one in everything(value) if one != value)
    classes = module.project.classes_named(module, value.func) or []
    return depth > 0 and bool(classes) and all(makes_parameters(*one, depth) for one in classes)


def makes_parameters(module: Module, node: ast.ClassDef, depth: int) -> bool:
    """Whether a class, or one that it derives from, makes what has parameters, or is such."""
    if any(module.is_torch(base, *LEARNT) for base in node.bases):
        return True
    if any(has_parameters(module, one, depth - 1) for one in everything(node)):
        return True
    return any(
        one is not node and depth > 0 and makes_parameters(where, one, depth - 1)
        for base in node.bases
        for where, one in module.project.classes_named(module, base) or ()
    )


def is_plain(module: Module, value: ast.AST, depth: int = 2) -> bool:
    """Whether a module has no parameters, no buffers and no modes, so that nothing is lost."""
    if not isinstance(value, ast.Call):
        return False
    if module.is_torch(value.func) or not module.project.classes.get(last_name(value.func)):
        return last_name(value.func).startswith(PLAIN_MODULES + ACTIVATIONS)
    classes = module.project.classes_named(module, value.func) or []
    return depth > 0 and bool(classes) and all(only_plain(*one, depth) for one in classes)


def only_plain(module: Module, node: ast.ClassDef, depth: int) -> bool:
    """Whether a class of modules holds plain ones alone, and calls nothing that it was given."""
    own = {f"self.{method.name}" for method in node.body if isinstance(method, FUNCTIONS)}
    nodes = everything(node)
    calls = [one for one in nodes if isinstance(one, ast.Call)]
    made = [one for one in calls if makes_module(module, one)]
    held = {
        written(target)
        for one in made
        for target in getattr(module.parents[one], "targets", ())
        if written(target)
    }
    known = all(written(one.func) in own | held for one in calls if of_self(one.func))
    direct = all(module.qualified(base) == "torch.nn.Module" for base in node.bases)
    modes = any(isinstance(one, ast.Attribute) and one.attr == "training" for one in nodes)
    registering = (*REGISTERING_METHODS, "register_buffer")
    registers = any(last_name(one.func) in registering for one in calls)
    return (
        bool(made)
        and direct
        and known
        and not (modes or registers)
        and all(is_plain(module, one, depth - 1) for one in made)
    )


def of_self(node: ast.AST) -> bool:
    """Whether it is an attribute of the object itself, at any depth."""
    return written(node).startswith("self.") and not isinstance(node, ast.Name)
