"""What a user can mend. Each of these ends a command with one line and no traceback."""

PACKAGE = str(__package__).partition(".")[0]  # of this project, for messages


class UserError(Exception):
    """Something outside the code is wrong; the message says what, where, and what to do."""

    exit_code = 1


class DataError(UserError):
    """The data is missing, damaged, or not in the layout that the reader expects."""


class CheckpointError(UserError):
    """A checkpoint is missing, damaged, or belongs to another model or configuration."""


class DivergenceError(UserError):
    """Loss, gradient or weights are no longer finite numbers since optimizer step `step`."""

    def __init__(self, what: str, step: int) -> None:
        super().__init__(f"{what} at step {step}")
        self.step = step


class FlagError(UserError):
    """A flag's value cannot work together with what was found when the command started."""

    exit_code = 2
