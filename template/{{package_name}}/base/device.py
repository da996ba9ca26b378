"""Where the arithmetic happens."""

import torch

from .errors import FlagError


def pick_device(name: str) -> torch.device:
    """Turn --device into a device of this machine; "auto" takes an accelerator where there is one.

    Raises FlagError when the machine has no such device.
    """
    accelerator = torch.accelerator.current_accelerator(check_available=True)
    if name == "auto":
        device = accelerator or torch.device("cpu")
    else:
        try:
            device = torch.device(name)
        except RuntimeError:
            raise FlagError(f"--device {name}: not a device; use cpu, cuda, mps or auto") from None
    if device.type == "cpu":
        return device
    if accelerator is None or device.type != accelerator.type:
        has = f"a CPU and {accelerator.type}" if accelerator else "only a CPU"
        raise FlagError(f"--device {name}: this machine has {has}; take one of these or auto")
    count = torch.accelerator.device_count()
    index = torch.accelerator.current_device_index() if device.index is None else device.index
    if index >= count:
        raise FlagError(f"--device {name}: this machine has {count}, numbered from 0")
    return torch.device(device.type, index)
