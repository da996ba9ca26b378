"""The flags of each command, and what it prints.

May import everything but `cli`; modules that do the work are imported inside the commands, which
keeps `torchgen --help` fast. Open it to add or change a flag.
"""
