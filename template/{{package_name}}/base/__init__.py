"""What everything else needs: seeds, the device, flags, errors, files, signals.

Imports nothing of this package but itself. Open it when a message, an exit code or a seed is wrong.
"""
