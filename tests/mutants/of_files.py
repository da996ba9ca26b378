"""Mutants of how a checkpoint comes to the disk and from it."""

from .mutant import Mutant

MUTANTS = (
    Mutant(
        "written-in-place",
        "Atomic",
        "A file is written beside the old one, and takes its place when it is whole.",
        "base/files.py",
        '    partial = path.with_name(path.name + ".partial")\n',
        "    path.write_bytes(content)\n"
        "    return\n"
        '    partial = path.with_name(path.name + ".partial")\n',
        "engine/test_checkpoint.py::test_a_disk_that_is_full_half_way_leaves_a_good_checkpoint",
    ),
    Mutant(
        "no-fsync-of-the-content",
        "Atomic",
        "The content is on the disk before the file gets its name.",
        "base/files.py",
        "            os.fsync(file.fileno())\n",
        "",
        "engine/test_checkpoint.py::"
        "test_content_is_on_the_disk_before_its_name_and_its_name_before_the_return",
    ),
    Mutant(
        "no-fsync-of-the-folder",
        "Atomic",
        "The file's name is on the disk before the run goes on.",
        "base/files.py",
        "        sync_folder(path.parent)\n",
        "",
        "engine/test_checkpoint.py::"
        "test_content_is_on_the_disk_before_its_name_and_its_name_before_the_return",
    ),
    Mutant(
        "renamed-before-it-is-written",
        "Atomic",
        "The content is on the disk before the file gets its name, not after.",
        "base/files.py",
        "            os.fsync(file.fileno())\n",
        "",
        "engine/test_checkpoint.py::"
        "test_content_is_on_the_disk_before_its_name_and_its_name_before_the_return",
        also=(
            (
                "        os.replace(partial, path)\n",
                "        os.replace(partial, path)\n"
                '        with path.open("rb+") as file:\n'
                "            os.fsync(file.fileno())\n",
            ),
        ),
    ),
    Mutant(
        "the-last-is-deleted-first",
        "Atomic",
        "At every moment a loadable checkpoint is there: the new one before the old one goes.",
        "engine/checkpoint.py",
        '        if last.exists():\n            spare = folder / "previous.pt.partial"\n',
        "        last.unlink(missing_ok=True)\n"
        "        if last.exists():\n"
        '            spare = folder / "previous.pt.partial"\n',
        "engine/test_checkpoint.py::test_a_failure_at_any_moment_leaves_a_good_checkpoint",
    ),
    Mutant(
        "the-best-is-written-last",
        "Atomic",
        "The best is on the disk before a checkpoint says that its epoch is done.",
        "engine/checkpoint.py",
        "        if best:  # first: if the run ends in between, the resumed one comes here again\n"
        '            write(folder / "best.pt", content)\n',
        "",
        "engine/test_checkpoint.py::"
        "test_the_best_is_written_before_a_checkpoint_says_that_its_epoch_is_done",
        also=(
            (
                "        write(last, content)\n",
                "        write(last, content)\n"
                "        if best:\n"
                '            write(folder / "best.pt", content)\n',
            ),
        ),
    ),
    Mutant(
        "the-checksum-is-not-checked",
        "Fallback",
        "Any flipped bit of a checkpoint is noticed.",
        "engine/checkpoint.py",
        "    if comment != MARK + hashlib.sha256(archive).hexdigest().encode():\n",
        "    if not archive or comment[: len(MARK)] != MARK:\n",
        "engine/test_checkpoint.py::test_any_flipped_bit_is_noticed",
    ),
    Mutant(
        "nothing-is-kept-to-fall-back-on",
        "Fallback",
        "The checkpoint before the last one is kept.",
        "engine/checkpoint.py",
        "            os.replace(spare, previous)\n",
        "            spare.unlink()\n",
        "engine/test_checkpoint.py::test_the_one_before_is_kept_and_nothing_else",
    ),
    Mutant(
        "the-fallback-is-not-said",
        "Fallback",
        "That a damaged checkpoint was passed over is said.",
        "train.py",
        "open_log(run_dir, config, trainer, warnings)",
        "open_log(run_dir, config, trainer, ())",
        "engine/test_train.py::test_a_damaged_checkpoint_is_named_and_the_one_before_used",
    ),
    Mutant(
        "the-best-weights-are-no-start",
        "Fallback",
        "A run that was killed within its first checkpoint has the weights of a new one.",
        "train.py",
        'checkpoint.to_resume(run_dir / "checkpoints")',
        'list((run_dir / "checkpoints").glob("*.pt"))',
        "engine/test_train.py::test_a_run_that_was_killed_within_its_first_checkpoint_begins_anew",
    ),
    Mutant(
        "two-damaged-checkpoints-begin-anew",
        "Fallback",
        "A run whose checkpoints are all damaged is not begun anew in silence.",
        "engine/checkpoint.py",
        '    if warnings:\n        raise CheckpointError("; ".join(warnings))\n',
        "",
        "engine/test_checkpoint.py::test_two_damaged_checkpoints_are_an_error_and_none_is_a_start",
    ),
    Mutant(
        "saved-with-the-steps-that-follow",
        "Atomic",
        "A checkpoint holds the state of its moment, though the training goes on.",
        "engine/checkpoint.py",
        "        dumped = dump(state, self._memory)\n"
        "        self._writing = self._thread.submit(save, self.folder, dumped, best=best)\n",
        "        self._writing = self._thread.submit(\n"
        "            lambda: time.sleep(0.2) or save(self.folder, dump(state), best=best)\n"
        "        )\n",
        "engine/test_checkpoint.py::test_what_is_saved_is_the_state_of_that_moment",
    ),
    Mutant(
        "a-smaller-checkpoint-keeps-the-end-of-the-larger",
        "Atomic",
        "A checkpoint holds nothing of the one before, whose memory it uses.",
        "engine/checkpoint.py",
        "    buffer.truncate()\n",
        "",
        "engine/test_checkpoint.py::test_memory_that_is_used_again_holds_nothing_of_the_state_before",
    ),
    Mutant(
        "a-failed-save-is-forgotten",
        "Atomic",
        "A checkpoint that could not be written is an error, not a hope.",
        "engine/checkpoint.py",
        "            writing.result()\n",
        "            writing.exception()\n",
        "engine/test_checkpoint.py::test_what_could_not_be_saved_is_said_at_the_next_chance",
    ),
)
