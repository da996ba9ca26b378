"""A toy experiment: six numbers in, two out.

The machinery is tested on a copy of the package, `toy`, in which these files stand in place of
yours. So whatever you make of model, task, augmentation, optimizer or data, its tests hold.
"""
