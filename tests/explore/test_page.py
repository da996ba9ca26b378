"""`torchgen explore` in a real browser."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from .conftest import EXPLORE, ROOT, served, torchgen

pytestmark = pytest.mark.browser
AXE = EXPLORE / "node_modules/axe-core/axe.min.js"
MINUS = "\N{MINUS SIGN}"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT / "generator")}


def choose(page: Any, name: str, choice: str) -> None:
    page.click(f"input[name={name}][value={choice}]")


def command(page: Any) -> str:
    return str(page.inner_text("#command"))


def shown(page: Any) -> list[str]:
    """The paths in the tree."""
    found: list[str] = page.eval_on_selector_all(
        "#tree button", "all => all.map(b => b.dataset.path)"
    )
    return found


def text(page: Any) -> list[str]:
    """The lines of the file that is shown."""
    script = "rows => rows.map(row => row.lastElementChild.textContent)"
    lines: list[str] = page.eval_on_selector_all("#text tr", script)
    return lines


def test_the_mouse_chooses_and_the_tree_and_the_totals_follow(page: Any) -> None:
    assert command(page) == "torchgen new myproj"
    before = page.inner_text("#totals")
    choose(page, "parallelism", "ddp")
    assert command(page) == "torchgen new myproj --parallelism ddp"
    assert "myproj/preflight.py" in shown(page) and page.inner_text("#totals") != before
    choose(page, "parallelism", "single")
    choose(page, "extras", "report")
    assert command(page) == "torchgen new myproj --extras none"
    sizes = (ROOT / "docs/size.md").read_text(encoding="utf-8")
    core = re.search(r"imagefolder: lines \| ([\d,]+)", sizes)
    files = re.search(r"its files \| (\d+)", sizes)
    assert core and files
    assert f"{core[1]} lines in {files[1]} files" in page.inner_text("#totals")
    choose(page, "extras", "serve")  # which needs export
    assert command(page) == "torchgen new myproj --extras export,serve"
    export = page.locator("input[name=extras][value=export]")
    assert export.is_checked() and export.is_disabled()
    assert "Needed by serve" in page.inner_text("label:has(input[value=export])")


def test_the_keyboard_alone_suffices(page: Any) -> None:
    page.focus("input[name=amp]:checked")
    page.keyboard.press("ArrowDown")
    assert command(page) == "torchgen new myproj --amp bf16"
    page.keyboard.press("Tab")  # to the next question
    assert page.evaluate("document.activeElement.name") == "data_format"
    page.focus("#tree button")
    page.wait_for_timeout(50)
    first = page.evaluate("document.activeElement.dataset.path")
    page.keyboard.press("ArrowDown")
    second = page.evaluate("document.activeElement.dataset.path")
    assert (first, second) == ("myproj/__init__.py", "myproj/__main__.py")
    page.keyboard.press("Enter")
    assert page.inner_text("#path") == second
    assert page.evaluate("document.activeElement.dataset.path") == second


def test_what_a_choice_changes_is_marked_before_it_is_taken(page: Any) -> None:
    for move in (
        lambda: page.hover("input[name=parallelism][value=ddp]"),
        lambda: page.focus("input[name=parallelism][value=ddp]"),
    ):
        page.mouse.move(0, 0)
        page.wait_for_selector("#effect:text('Point at a choice')")
        move()
        page.wait_for_selector("#effect:text('With ddp: 1 file new, ')")
        new = page.inner_text("[data-path='myproj/preflight.py'] .lines")
        assert re.fullmatch(r"new, \d+ lines", new)
        changed = page.inner_text("[data-path='myproj/base/distributed.py'] .lines")
        assert re.fullmatch(rf"changed, \+\d+ {MINUS}\d+", changed)
    page.hover("input[name=extras][value=report]")
    page.wait_for_selector("#effect:text('Without report: ')")
    assert "removed" in page.inner_text("[data-path='myproj/report/page.py'] .lines")


def written(folder: Path, *flags: str) -> dict[str, bytes]:
    """The files that the command writes."""
    line = torchgen("new", folder, "--defaults", "--no-git", *flags)
    subprocess.run(line, env=ENVIRONMENT, check=True, capture_output=True)
    paths = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def test_a_comparison_shows_the_diff_and_its_link_restores_it(
    page: Any, chromium: Any, tmp_path: Path
) -> None:
    page.set_viewport_size({"width": 1000, "height": 900})  # one below the other
    choose(page, "data_format", "lmdb")
    page.click("#keep")
    choose(page, "parallelism", "fsdp")
    page.click("[data-path='myproj/base/distributed.py']")
    rows = page.eval_on_selector_all(
        "#text tr:not(.skipped)",
        "all => all.map(r => [r.cells[0].textContent, r.cells[1].textContent])",
    )
    added, removed = ([text for sign, text in rows if sign == one] for one in ("+", MINUS))
    name = "myproj/base/distributed.py"
    one = written(tmp_path / "one" / "myproj", "--data-format=lmdb")[name]
    two = written(tmp_path / "two" / "myproj", "--data-format=lmdb", "--parallelism=fsdp")[name]
    before, after = (Counter(content.decode().splitlines()) for content in (one, two))
    assert added and removed and Counter(removed) <= before
    assert before - Counter(removed) + Counter(added) == after

    other = chromium.new_page(viewport={"width": 1000, "height": 900})
    other.goto(page.url)
    other.wait_for_selector("#tree button")
    for selector in ("#command", "#path", "#about", "#effect", "#tree", "#text"):
        assert other.inner_text(selector) == page.inner_text(selector), selector
    other.close()


def test_a_link_leads_to_a_line(page: Any, address: str) -> None:
    page.click("[data-path='myproj/train.py']")
    page.click("#text a[data-line='40']")
    assert "file=myproj/train.py&line=40" in page.url
    page.goto("about:blank")
    page.goto(f"{address}#file=myproj/train.py&line=100")
    page.wait_for_selector("#L100.here")
    assert page.evaluate("scrollY") > 0


def test_the_zip_is_what_the_command_writes_and_it_trains(page: Any, tmp_path: Path) -> None:
    page.fill("#name", "my-scans")
    choose(page, "data_format", "hdf5")
    choose(page, "launcher", "slurm")  # with a file to execute
    assert command(page) == "torchgen new my-scans --data-format hdf5 --launcher slurm"
    with page.expect_download() as download:
        page.click("#zip")
    assert download.value.suggested_filename == "my-scans.zip"
    with zipfile.ZipFile(download.value.path()) as archive:
        found = {info.filename: archive.read(info) for info in archive.infolist()}
        modes = {info.filename: info.external_attr >> 16 & 0o111 for info in archive.infolist()}
        archive.extractall(tmp_path)
    target = tmp_path / "written" / "my-scans"
    expected = written(target, "--data-format=hdf5", "--launcher=slurm")
    assert found == {f"my-scans/{path}": content for path, content in expected.items()}
    for path in expected:
        assert bool(modes[f"my-scans/{path}"]) == os.access(target / path, os.X_OK), path

    project = tmp_path / "my-scans"
    for line in ("prepare --demo", "train --max-steps 2 --max-samples 64 --num-workers 0"):
        module, *flags = line.split()
        command_line = [sys.executable, "-m", f"my_scans.{module}", *flags]
        done = subprocess.run(
            command_line, cwd=project, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    script = "from my_scans.config import Config; print(len(Config.__dataclass_fields__))"
    line = [sys.executable, "-c", script]
    settings = subprocess.run(line, cwd=project, check=True, capture_output=True, text=True).stdout
    assert page.inner_text("#totals dt:text('Settings') + dd") == settings.strip()


@pytest.mark.parametrize("name", ["My Scans", "1x", "a--b", "x" * 41, ""])
def test_a_wrong_name_is_named_and_nothing_changes(page: Any, name: str) -> None:
    page.evaluate("document.getElementById('name').removeAttribute('maxlength')")
    page.fill("#name", name)
    assert page.inner_text("#name-error") and command(page) == "torchgen new myproj"


def test_an_address_with_unknown_answers_says_which(page: Any, address: str) -> None:
    page.goto("about:blank")
    page.goto(f"{address}#amp=fp8&extras=report,sevre&data_format=lmdb&name=A&from=logger%3Dx")
    page.wait_for_selector("#tree button")
    said = page.inner_text("#message")
    for wrong in ("amp=fp8", "extras=sevre", "name=A", "logger=x"):
        assert wrong in said
    assert command(page) == "torchgen new myproj --data-format lmdb"


@pytest.mark.parametrize(
    ("width", "scheme"), [(360, "dark"), (1280, "light"), (1280, "dark"), (2560, "light")]
)
def test_everybody_can_use_it(page: Any, width: int, scheme: str) -> None:
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(AXE.read_text(encoding="utf-8"))
    choose(page, "extras", "serve")
    page.fill("#name", "x-")  # an error
    for step in ("as it is", "compared"):
        if step == "compared":
            page.click("#keep")
            choose(page, "parallelism", "ddp")
            page.click("[data-path='myproj/base/distributed.py']")
        found = page.evaluate("axe.run()")
        assert [(v["id"], v["nodes"][0]["html"]) for v in found["violations"]] == []
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def refused(*arguments: object) -> tuple[int, str]:
    line = torchgen("explore", "--no-browser", *arguments)
    done = subprocess.run(
        line, env=ENVIRONMENT, check=False, capture_output=True, text=True, timeout=60
    )
    assert "Traceback" not in done.stderr and not done.stdout
    return done.returncode, done.stderr


def test_without_its_libraries_it_says_how_to_get_them(tmp_path: Path) -> None:
    unwanted = shutil.ignore_patterns("vendor", "node_modules", "__pycache__")
    shutil.copytree(ROOT / "generator/torchgen_cli", tmp_path / "torchgen_cli", ignore=unwanted)
    environment = os.environ | {"PYTHONPATH": str(tmp_path)}
    done = subprocess.run(
        torchgen("explore"), env=environment, check=False, capture_output=True, text=True
    )
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "make explorer" in done.stderr and not done.stdout


def test_a_port_in_use_is_one_line(address: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        code, said = refused("--port", port)
    assert (
        code == 1
        and said.startswith(f"error: port {port} cannot be used")
        and said.count("\n") == 1
    )
    with served("--port", port) as found:
        assert found == f"http://127.0.0.1:{port}/"


def test_a_name_that_leads_here_gets_nothing(address: str) -> None:
    """A page elsewhere cannot read this one by a name of its own (DNS rebinding)."""
    request = urllib.request.Request(address, headers={"Host": "evil.example"})
    with pytest.raises(urllib.error.HTTPError, match="403"):
        urllib.request.urlopen(request)
    with urllib.request.urlopen(address) as answer:
        assert "default-src 'self'" in answer.headers["Content-Security-Policy"]


def test_a_forks_questions_are_shown(address: str, chromium: Any, tmp_path: Path) -> None:
    (tmp_path / "copier.yml").write_text(
        "project_name: {type: str, default: a}\n"
        "cloud: {type: str, default: 'no', choices: ['no', ours]}\n"
    )
    (tmp_path / "{{_copier_conf.answers_file}}.jinja").write_text(
        "{{ _copier_answers | to_nice_yaml }}"
    )
    (tmp_path / "{% if cloud == 'ours' %}ours.txt{% endif %}").write_text("ours")
    git = ["git", "-C", tmp_path, "-c", "user.name=a", "-c", "user.email=a@b"]
    for line in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "a fork"]):
        subprocess.run([*git, *line], check=True)
    with served("--source", tmp_path) as fork:
        page = chromium.new_page()
        page.goto(f"{fork}#cloud=ours")
        page.wait_for_selector("#tree button")
        assert "ours.txt" in shown(page)
        page.close()


def test_it_is_written_as_static_files_of_at_most_1_5_mb(address: str, tmp_path: Path) -> None:
    line = torchgen("explore", "--write", tmp_path / "page")
    subprocess.run(line, env=ENVIRONMENT, check=True, capture_output=True)
    assert json.loads((tmp_path / "page/content.json").read_text(encoding="utf-8"))["files"]
    sizes = [file.stat().st_size for file in (tmp_path / "page").rglob("*") if file.is_file()]
    assert sum(sizes) < 1.5e6
