"""Runs a module as `python -m` does, and ends the process right behind its first optimizer step."""

import os
import runpy
import sys

from torch.optim.optimizer import register_optimizer_step_post_hook


def main() -> None:
    """Take the module and its arguments from the command line."""
    register_optimizer_step_post_hook(lambda *_: os._exit(0))
    sys.argv = sys.argv[1:]
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    raise SystemExit("no optimizer step was done")


if __name__ == "__main__":
    main()
