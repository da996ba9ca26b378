"""The template's repository and a team's fork of it, as in the template's tests."""

from template.conftest import bare, env, env_with_pytest, fork, git, ours, torchgen

__all__ = ["bare", "env", "env_with_pytest", "fork", "git", "ours", "torchgen"]
