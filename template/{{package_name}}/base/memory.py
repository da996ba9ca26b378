"""Memory that is freed stays with this process: the next step wants as much of it again."""

import ctypes

# of mallopt(3)
TRIM_THRESHOLD, MMAP_THRESHOLD = -1, -3
NEVER = (1 << 31) - 1
LARGEST = 32 << 20  # bytes: larger blocks go back to the system, so that little lies idle


def keep_freed() -> None:
    """Have glibc keep the blocks that are freed; nothing happens where there is another malloc.

    Left to itself it returns them to the system, which then clears every page of the next ones: up
    to a quarter of an optimizer step on a CPU.
    """
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, TypeError):  # the first without glibc, the second on Windows
        return
    mallopt(MMAP_THRESHOLD, LARGEST)
    mallopt(TRIM_THRESHOLD, NEVER)
