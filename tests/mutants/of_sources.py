"""Mutants of where the data is read from, and of what a run does about samples that are bad."""

from .mutant import Mutant

STAGING = "data/test_staging.py::"

MUTANTS = (
    Mutant(
        "copy-used-as-it-is",
        "Run folder",
        "A copy of the data is used again only if it is as it was made.",
        "data/staging.py",
        'if record["copy"] == digest_of(manifest_of(place)):',
        'if record["copy"]:',
        STAGING + "test_a_copy_that_is_no_longer_as_it_was_made_is_not_used",
    ),
    Mutant(
        "copy-of-an-older-state",
        "Run folder",
        "Data of the same size that has changed is copied anew.",
        "data/staging.py",
        "return status.st_size, status.st_mtime_ns",
        "return status.st_size, 0",
        STAGING + "test_changed_data_is_copied_anew_beside_the_copy_that_others_may_read",
    ),
    Mutant(
        "copy-in-its-final-place",
        "Atomic",
        "A copy has its name only when it is whole.",
        "data/staging.py",
        'folder / f"{name}.partial")',
        "place)",
        STAGING + "test_a_copy_that_was_not_finished_is_not_used",
    ),
    Mutant(
        "copy-of-what-changes",
        "Run folder",
        "Data that changes while it is copied is an error.",
        "data/staging.py",
        "if entry_of(str(source / name)) != wanted[name]:",
        "if not wanted[name]:",
        STAGING + "test_data_that_changes_while_it_is_copied_is_an_error",
    ),
    Mutant(
        "copy-into-too-little-space",
        "Run folder",
        "A copy that does not fit is refused before it is made.",
        "data/staging.py",
        "if size > free:",
        "if size > 2 * free:",
        STAGING + "test_too_little_space_is_refused_with_both_numbers",
    ),
)
