"""torchgen: writes PyTorch training repositories and keeps them up to date.

Here are one module per command (`new`, `update`, `set_answers`, `adopt`, `explain`, `status`), the
command line (`cli`, `commands/`), and the folders that the commands share. Imports go one way:
commands -> adopting, merging, doctor -> questions -> template -> base.
"""
