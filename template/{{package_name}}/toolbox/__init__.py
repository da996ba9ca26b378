"""What a run can do beyond the default: each part is used only where its flag asks for it.

Imports `base` alone. Open it to see what such a flag does, or to add one.
"""
