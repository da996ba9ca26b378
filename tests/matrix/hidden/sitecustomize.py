"""Read by every Python that has this folder on its path: what a project needs none of."""

import sys


class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in ("copier", "torchgen_cli", "torchvision"):
            raise ModuleNotFoundError(f"{name} is hidden from this process")


sys.meta_path.insert(0, Hidden())
