"""Imported first of all by the process that data workers are forked from (see `loader.py`).

It ends with the process that started it, however that is killed, and its workers end with it: they
are its children, and keep the pipe open that it would otherwise wait at. A worker asks for that as
soon as it is forked: what it imports after that takes seconds. And what it inherits is that signals
wait: the loader makes SIGTERM deadly before a worker can shield itself.
"""

import os

from ..base.interrupt import STARTED_BY, die_with_parent, hold_signals_back

servers = [os.getpid()]  # emptied in each worker, whose own forks are left alone


def die_with_server() -> None:
    """End this worker with the server that it was forked from, and now if that is dead already."""
    if servers:
        die_with_parent()
        if os.getppid() != servers.pop():
            os._exit(1)


die_with_parent()
if os.environ.get(STARTED_BY) not in (None, str(os.getppid())):
    os._exit(1)  # it was killed before this process asked to end with it
hold_signals_back()
os.register_at_fork(after_in_child=die_with_server)
