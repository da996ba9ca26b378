"""List the commands of this project."""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def main() -> None:
    """Print each module and folder that can be run, with the first line of its docstring."""
    for file in sorted([*PACKAGE.glob("[!_]*.py"), *PACKAGE.glob("*/__main__.py")]):
        source = file.read_text(encoding="utf-8")
        if "__main__" in source:
            name = file.parent.name if file.stem == "__main__" else file.stem
            about = source.partition('"""')[2].partition("\n")[0].strip('."')
            print(f"python -m {PACKAGE.name}.{name:<14} {about.partition(': `')[0]}")


if __name__ == "__main__":
    main()
