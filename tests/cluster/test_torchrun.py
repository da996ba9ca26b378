"""torchrun on two hosts: what is lost comes back with the same bits; a wrong address is a line."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from faults.conftest import Show
from faults.runs import assert_same_run
from matrix.renderings import PACKAGE

from .conftest import Projects
from .hosts import NAMES, Hosts
from .nodes import FAULTS, PORT, Nodes

pytestmark = pytest.mark.cluster

DDP = {"parallelism": "ddp", "launcher": "slurm"}


@pytest.fixture
def nodes(hosts: Hosts, projects: Projects, tmp_path: Path) -> Nodes:
    return Nodes(hosts, projects.make(DDP), tmp_path)


NAMED = list(FAULTS)
MANY = [[NAMED[(first + 3 * later) % len(NAMED)] for later in range(4)] for first in range(8)]


@pytest.mark.parametrize(
    "faults",
    [
        ["the rank on n2 killed", "n2 killed"],
        *[pytest.param(faults, marks=pytest.mark.scheduled) for faults in MANY],
    ],
    ids=", ".join,
)
def test_a_run_of_two_hosts_that_is_struck_ends_with_the_same_bits(
    nodes: Nodes, projects: Projects, faults: list[str], show: Show
) -> None:
    with nodes:
        for name in NAMES:
            nodes.train(name, pause=0.1)
        for fault in faults:
            nodes.until_epoch()
            show(f"two hosts, {fault}: struck after step {nodes.run.place().step}")
            FAULTS[fault](nodes)
        nodes.finish()
    assert_same_run(nodes.run, projects.whole(DDP))


def test_an_elastic_run_goes_on_with_one_host_and_takes_the_other_back(
    nodes: Nodes, projects: Projects, show: Show
) -> None:
    with nodes:
        for name in NAMES:
            nodes.train(name, nnodes="1:2", pause=0.1)
        nodes.until_epoch()
        show(f"n2 killed: after step {nodes.run.place().step}")
        nodes.kill("n2")
        nodes.until_epoch()
        show(f"n2 is back: after step {nodes.run.place().step}")
        nodes.train("n2", nnodes="1:2", pause=0.1)
        nodes.finish()
    started = re.findall(r"device  cpu(?:, (\d) processes)?,", nodes.said("n1"))
    assert started == ["2", "", "2"], nodes.everything()
    for ours, theirs in zip(nodes.run.records(), projects.whole(DDP).records(), strict=True):
        assert (ours["epoch"], ours["step"]) == (theirs["epoch"], theirs["step"])
        # on one process and on two, dropout draws other numbers
        assert ours["loss"] == pytest.approx(theirs["loss"], rel=0.05)


def preflight(nodes: Nodes, name: str, *flags: object, endpoint: str = f"n1:{PORT}") -> None:
    """Start the command that goes before torchrun."""
    module = f"{PACKAGE}.preflight"
    nodes.start(name, "python", "-m", module, endpoint, "--nnodes", "2", "--wait", "15", *flags)


def told(nodes: Nodes, name: str) -> str:
    """The one line that a host's command ends with, which has failed."""
    code, said = nodes.wait(name), nodes.said(name)
    assert code == 1 and said.startswith("error: ") and said.count("\n") == 1, said
    return said


ADDRESSES = {
    "a name that nobody has": ("n9:29400", "n2 knows no address of n9"),
    "an address that nobody has": ("10.77.0.9:29400", "no way to it"),
    "a port at which nothing listens": ("n1:29999", "nothing listens there"),
}


@pytest.mark.parametrize(("endpoint", "why"), ADDRESSES.values(), ids=ADDRESSES)
def test_a_wrong_address_is_one_line(nodes: Nodes, endpoint: str, why: str) -> None:
    with nodes:
        preflight(nodes, "n2", "--wait", "5", endpoint=endpoint)
        assert why in told(nodes, "n2")


def test_a_host_that_does_not_come_is_one_line(nodes: Nodes) -> None:
    with nodes:
        preflight(nodes, "n1", "--wait", "5")
        assert (
            told(nodes, "n1") == f"error: only 1 of 2 machines came to n1:{PORT} within 5 s: n1\n"
        )


def test_a_cut_link_is_one_line_on_each_host(nodes: Nodes) -> None:
    nodes.hosts.link("n2", "down")
    try:
        with nodes:
            for name in NAMES:
                preflight(nodes, name, "--wait", "5")
            assert "only 1 of 2 machines came" in told(nodes, "n1")
            assert "there is no way to it" in told(nodes, "n2")
    finally:
        nodes.hosts.link("n2", "up")


def test_other_code_on_one_host_is_one_line_on_both(nodes: Nodes, tmp_path: Path) -> None:
    copy = shutil.copytree(nodes.project.folder / PACKAGE, tmp_path / PACKAGE)
    (copy / "model.py").write_text("# edited\n", encoding="utf-8")
    with nodes:
        preflight(nodes, "n1")
        own = ("env", "-C", tmp_path, "python", "-m", f"{PACKAGE}.preflight")
        nodes.start("n2", *own, f"n1:{PORT}", "--nnodes", "2", "--wait", "15")
        for name in NAMES:
            said = told(nodes, name)
            assert f"{PACKAGE}/model.py is not the same on n1 and n2" in said


def test_a_folder_that_is_not_shared_is_one_line_on_both(nodes: Nodes) -> None:
    runs = nodes.project.folder / "runs"
    runs.mkdir(exist_ok=True)
    command = ("python", "-m", f"{PACKAGE}.preflight", f"n1:{PORT}", "--nnodes", "2")
    flags = (*command, "--wait", "30", "--run-dir", nodes.name)
    own = f"mount -t tmpfs none {runs} && exec "
    with nodes:
        nodes.start("n1", *flags)
        nodes.start("n2", "unshare", "--mount", "sh", "-c", own + shlex.join(map(str, flags)))
        for name in NAMES:
            assert f"--run-dir {nodes.name} is not shared: n2 does not see" in told(nodes, name)


def test_data_that_one_host_lacks_is_named_with_the_host(nodes: Nodes) -> None:
    data = nodes.project.folder / "data"
    with nodes:
        preflight(nodes, "n1", "--data-dir", "data")
        command = ("python", "-m", f"{PACKAGE}.preflight", f"n1:{PORT}", "--nnodes", "2")
        line = shlex.join([*command, "--data-dir", str(data / "not")])
        nodes.start("n2", "sh", "-c", line)
        for name in NAMES:
            assert f"n2 has no folder {data / 'not'}" in told(nodes, name)
