"""Breakages of what goes before a run on several machines."""

from .mutant import Mutant

DDP = {"parallelism": "ddp"}
FILE = "tools/preflight.py"
TESTS = "tools/test_preflight.py::"
DIFFERS = f"{TESTS}test_what_differs_is_named"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "another-torch-on-a-machine",
        "Clusters",
        "All machines have the same version of torch.",
        FILE,
        'for name in ("torch", "Python"):',
        'for name in ("Python",):',
        DIFFERS,
        DDP,
    ),
    Mutant(
        "a-file-more-on-a-machine",
        "Clusters",
        "All machines have the same files of code.",
        FILE,
        'sorted(first["code"].keys() | other["code"].keys())',
        'sorted(first["code"].keys())',
        DIFFERS,
        DDP,
    ),
    Mutant(
        "a-folder-that-is-not-shared",
        "Clusters",
        "A run's folder that is not shared is noticed before the run.",
        FILE,
        'if not other["shares"]:',
        'if other["shares"] is None:',
        DIFFERS,
        DDP,
    ),
    Mutant(
        "the-preflight-leaves-its-file",
        "Clusters",
        "What looks whether a folder is shared leaves nothing in it.",
        FILE,
        "            self.path.unlink(missing_ok=True)\n",
        "            pass\n",
        f"{TESTS}test_machines_that_are_alike_find_each_other",
        DDP,
    ),
    Mutant(
        "any-program-is-torchrun",
        "Clusters",
        "Another program at the port is not taken for torchrun.",
        FILE,
        'if ":" in config.nnodes:',
        "if config.nnodes:",
        f"{TESTS}test_another_program_at_the_port_is_refused",
        DDP,
    ),
)
