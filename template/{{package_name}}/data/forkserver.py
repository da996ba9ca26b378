"""Imported first of all by the process that data workers are forked from (see `loader.py`).

It ends with the process that started it, however that is killed, and its workers end with it: they
are its children, and keep the pipe open that it would otherwise wait at. And what it hands on to
them is that signals wait: the loader makes SIGTERM deadly before a worker can shield itself.
"""

import os

from ..base.interrupt import STARTED_BY, die_with_parent, hold_signals_back

die_with_parent()
if os.environ.get(STARTED_BY) not in (None, str(os.getppid())):
    os._exit(1)  # it was killed before this process asked to end with it
hold_signals_back()
