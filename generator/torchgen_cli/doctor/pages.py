"""The rules' documentation: the list, one rule, and the page of the docs."""

from ..base.errors import UserError, nearest
from .rule import GROUPS, Rule, Severity
from .rules import all_rules


def as_list() -> str:
    """Every rule, a line each."""
    rows = (f"{r.id}  {r.severity:<7}  {r.group:<11}  {r.title}" for r in all_rules().values())
    return "\n".join(rows)


def explanation(id: str) -> str:
    """The documentation of one rule; raises `UserError` for an unknown id."""
    rule = all_rules().get(id.upper())
    if rule is None:
        raise UserError(
            f"no rule is called {id!r}{nearest(id.upper(), all_rules())}; "
            "torchgen doctor --rules lists them",
            2,
        )
    parts = [
        f"{rule.id} {rule.title} ({rule.severity}, {rule.group})",
        rule.why,
        f"Remedy: {rule.remedy}.",
        f"Source: {rule.source}",
    ]
    if rule.bad:
        parts += ["Found:", _indented(rule.bad), "Fine:", _indented(rule.good)]
    return "\n\n".join(parts)


def _indented(code: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in code.rstrip().splitlines())


def as_markdown() -> str:
    """The page of the docs."""
    rules = all_rules().values()
    hints = sum(rule.severity is Severity.HINT for rule in rules)
    parts = [
        "# The doctor's rules",
        "<!-- Written by `torchgen doctor --rules --markdown`; edit the rules instead. -->",
        f"{len(rules)} rules, {hints} of them hints, which only `--hints` shows. The lines "
        "marked `# <--` are reported; the second example is fine. The examples are tests. "
        "[doctor.md](doctor.md) says how to use them, and how often they are wrong.",
    ]
    for group in GROUPS:
        members = [rule for rule in rules if rule.group == group]
        parts += [f"## {group.capitalize()}", *(_section(rule) for rule in members)]
    return "\n\n".join(parts)


def _section(rule: Rule) -> str:
    parts = [
        f"### {rule.id}",
        f"**{rule.title[0].upper()}{rule.title[1:]}.** *{rule.severity}*",
        rule.why,
        f"Remedy: {rule.remedy}.",
        f"Source: <{rule.source}>",
    ]
    parts += [f"```python\n{code}```" for code in (rule.bad, rule.good) if code]
    return "\n\n".join(parts)
