"""The questions of a template and the answers to them, from flags and files.

May import template and base. Open it when a question is read or listed wrongly, or an answer is
accepted, refused or taken from the wrong place.
"""
