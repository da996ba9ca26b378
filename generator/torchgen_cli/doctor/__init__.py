"""`torchgen doctor`: checks training code against rules, without importing it.

May import template and base. Open it when a finding is reported, sorted or ignored wrongly; the
rules themselves are in `rules/`.
"""
