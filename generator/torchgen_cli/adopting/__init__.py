"""Finding the version and the answers that an existing project fits best: used by `adopt`.

May import questions, template and base. Open it when `adopt` finds the wrong answers or version,
or takes too long.
"""
