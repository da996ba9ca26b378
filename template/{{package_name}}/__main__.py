"""List the commands of this project."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent

for file in sorted([*PACKAGE.glob("[!_]*.py"), *PACKAGE.glob("*/__main__.py")]):
    source = file.read_text(encoding="utf-8")
    if "__main__" in source:
        name = file.parent.name if file.stem == "__main__" else file.stem
        about = (ast.get_docstring(ast.parse(source)) or "").partition("\n")[0]
        print(f"python -m {PACKAGE.name}.{name:<14} {about.partition(': `')[0].rstrip('.')}")
