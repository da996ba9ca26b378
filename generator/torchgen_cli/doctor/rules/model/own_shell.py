"""What a shell of its own does, and the program does not notice."""

import ast
import re
from collections.abc import Iterator

from ...project import Module
from ...rule import Severity, Spot, rule
from ...syntax import is_constant, keyword, last_name, walk

# a command that changes nothing but the shell it is given to, and what shows that another follows
CHANGES_SHELL = re.compile(r"\s*(export\s+\w+=|cd\s|source\s|conda activate\s|ulimit\s|unset\s)")
FOLLOWED = re.compile(r"&&|[;|\n]|\s\w+=.*\s\w+$")
BY_SHELL = {"os.system", "os.popen", "subprocess.getoutput"}
IF_ASKED = {"subprocess.call", "subprocess.check_call", "subprocess.run", "subprocess.Popen"}


@rule(
    "TG353",
    "this changes a shell that ends at once",
    why="""Each such call starts a shell of its own. The variable that it sets, or the folder that
    it enters, is gone when it ends: neither the program nor the next call notices.""",
    remedy='set `os.environ["NAME"] = "value"`, or call `os.chdir(folder)`',
    source="https://docs.python.org/3/library/os.html#os.system",
    bad="""
import os

os.system("export OMP_NUM_THREADS=1")  # <--
""",
    good="""
import os

os.environ["OMP_NUM_THREADS"] = "1"
""",
    severity=Severity.WARNING,
)
def changes_a_shell(module: Module) -> Iterator[Spot]:
    for name in (*BY_SHELL, *IF_ASKED):
        for call in module.calls.get(name.rpartition(".")[2], ()):
            whole = module.qualified(call.func)
            shell = whole in BY_SHELL or is_constant(keyword(call, "shell"), True)
            alone = isinstance(module.parents[call], ast.Expr) and len(call.args) == 1
            if whole == name and shell and alone and is_lost(call.args[0]):
                yield Spot(call)


def is_lost(command: ast.expr) -> bool:
    """Whether a command changes its shell, and as far as it is written does nothing then."""
    texts = [
        node.value
        for node in walk(command)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    ]
    joins = any(
        isinstance(one, ast.Call) and last_name(one.func) == "join" for one in walk(command)
    )
    if not texts or joins or not CHANGES_SHELL.match(first_text(command)):
        return False
    return not any(FOLLOWED.search(text.strip()) for text in texts)


def first_text(command: ast.expr) -> str:
    """The text that a command begins with."""
    while isinstance(command, ast.BinOp):
        command = command.left
    if isinstance(command, ast.Call) and isinstance(command.func, ast.Attribute):
        command = command.func.value  # "cd {}".format(folder)
    if isinstance(command, ast.JoinedStr) and command.values:
        command = command.values[0]
    value = command.value if isinstance(command, ast.Constant) else ""
    return value if isinstance(value, str) else ""
