"""List the commands of this project."""

import ast
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def main() -> None:
    """Print each module and folder that can be run, with the first line of its docstring."""
    files = [p for p in PACKAGE.glob("*.py") if "__main__" in p.read_text(encoding="utf-8")]
    files += [p.with_name("__init__.py") for p in PACKAGE.glob("*/__main__.py")]
    for file in sorted(files):
        if file.name != "__main__.py":
            name = file.parent.name if file.name == "__init__.py" else file.stem
            doc = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
            about = doc.partition("\n")[0].partition(": `")[0].rstrip(".")
            print(f"python -m {PACKAGE.name}.{name:<14} {about}")


if __name__ == "__main__":
    main()
