"""Merging the template's changes into a project: shared by `update` and `set`.

May import template and base. Open it when an edit is lost or a conflict is wrong, when a project
is written only in part, or when the report is wrong.
"""
