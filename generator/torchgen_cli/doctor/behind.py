"""Whether a generated project is behind the template of this torchgen."""

from pathlib import Path

from packaging.version import InvalidVersion, Version

from ..base.project import ANSWERS_FILE
from ..template.provenance import FIRST_NAME
from ..template.source import origin, provenance


def behind(root: Path) -> str | None:
    """One line if the project at `root` was made from another version of the template."""
    file = root / ANSWERS_FILE
    if not file.is_file():
        return None
    import yaml  # 20 ms, for generated projects only

    try:
        record = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (OSError, ValueError, yaml.YAMLError) as error:
        return f"cannot read {ANSWERS_FILE}: {' '.join(str(error).split())}"
    made = record.get("_commit") if isinstance(record, dict) else None
    found = provenance()
    source, ours_at = record.get("_src_path") if made else None, origin(found)[0]
    if source and source not in (ours_at, FIRST_NAME):  # a fork has its own versions
        return f"template {made} of {source}: torchgen update --check looks for a newer one"
    ours = found.commit
    if not made or str(made) in (ours, found.sha, f"v{found.version}"):
        return None
    remedy = "torchgen update"
    if newer(str(made), ours) or newer(str(made), f"v{found.version}"):
        remedy = "install a newer torchgen"
    return f"template {made}, this torchgen has {ours}: {remedy}"


def newer(one: str, other: str) -> bool:
    """Whether a version as git describes it (v0.2.0-3-g1a2b3c4) is newer than the other."""
    try:
        first, second = (Version(text.partition("-")[0]) for text in (one, other))
    except InvalidVersion:
        return False
    return first > second
