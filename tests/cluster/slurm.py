"""A real Slurm of two nodes, on two hosts of this machine."""

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from .hosts import NAMES, Hosts

PATIENCE = 150.0  # seconds for anything that a job waits for
# what is asked to wait for the user's sake has no user here: a requeued job starts again at once
CONFIG = """\
ClusterName=test
SlurmctldHost=n1(10.77.0.1)
SlurmUser=root
AuthInfo=socket={folder}/munge.socket,cred_expire=5
ProctrackType=proctrack/pgid
SelectType=select/cons_tres
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
KillWait=20
MinJobAge=300
SchedulerParameters=sched_interval=2,bf_interval=2,sched_min_interval=0
SlurmdParameters=config_overrides
MailProg=/bin/true
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
NodeName=n1 NodeAddr=10.77.0.1 CPUs=4 RealMemory=4000
NodeName=n2 NodeAddr=10.77.0.2 CPUs=4 RealMemory=4000
PartitionName=main Nodes=ALL Default=YES State=UP MaxTime=60
"""


class Slurm:
    """Two nodes, `n1` and `n2`, of which the first also schedules."""

    def __init__(self, hosts: Hosts, folder: Path) -> None:
        """`folder` keeps its files; a short path, as a socket's name is limited."""
        self.hosts, self.folder = hosts, folder
        self._daemons: dict[str, subprocess.Popen[bytes]] = {}
        self._env = os.environ | {"SLURM_CONF": str(folder / "slurm.conf")}

    def start(self) -> None:
        """Start all daemons, and wait until both nodes are idle."""
        self.folder.chmod(0o755)  # munged has a user of its own
        (self.folder / "slurm.conf").write_text(CONFIG.format(folder=self.folder), encoding="utf-8")
        (self.folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n", encoding="utf-8")
        for name in ("state", *(f"spool-{node}" for node in NAMES)):
            (self.folder / name).mkdir()
        self._start_munge()
        self._start("slurmctld", "n1", "slurmctld", "-D")
        for node in NAMES:
            self.start_node(node)
        self.until(lambda: set(self.states().values()) == {"idle"}, "the nodes are up")

    def stop(self) -> None:
        """End all daemons."""
        for daemon in reversed(self._daemons.values()):
            daemon.terminate()
            try:
                daemon.wait(10)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()

    def _start_munge(self) -> None:
        own = self.folder / "munge"
        own.mkdir()
        (own / "key").write_bytes(os.urandom(128))
        (own / "key").chmod(0o400)
        for path in (own, own / "key"):
            shutil.chown(path, "munge", "munge")
        files = [f"--{name}-file={own / name}" for name in ("key", "pid", "log", "seed")]
        socket = f"--socket={self.folder / 'munge.socket'}"
        self.folder.chmod(0o777)  # for the socket
        command = ["munged", "--foreground", "--force", socket, *files]
        self._daemons["munged"] = subprocess.Popen(
            ["setpriv", "--reuid=munge", "--regid=munge", "--clear-groups", *command],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self.until((self.folder / "munge.socket").exists, "munged listens")

    def _start(self, what: str, host: str, *command: str) -> None:
        self._daemons[what] = subprocess.Popen(
            self.hosts.on(host, command),
            env=self._env,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def start_node(self, node: str) -> None:
        """Start a node's daemon."""
        self._start(node, node, "slurmd", "-D", "-N", node)

    def kill_node(self, node: str) -> None:
        """Kill a node's daemon, which leaves what it started running."""
        self._daemons[node].send_signal(signal.SIGKILL)
        self._daemons[node].wait()

    def run(self, *command: object, env: Mapping[str, str] | None = None) -> str:
        """Run a command of Slurm's as a user on the first node."""
        return self.hosts.run("n1", *command, env={**(env or os.environ), **self.conf})

    @property
    def conf(self) -> dict[str, str]:
        """What a user's processes need to find this Slurm."""
        return {"SLURM_CONF": self._env["SLURM_CONF"]}

    def states(self) -> dict[str, str]:
        """Each node's state."""
        try:
            lines = self.run("sinfo", "--Node", "--noheader", "--format", "%N %T").splitlines()
        except AssertionError:  # it is only just starting
            return {}
        return dict(line.split() for line in lines)

    def job(self, number: str) -> dict[str, str]:
        """What Slurm knows of a job."""
        text = self.run("scontrol", "show", "job", number, "--oneliner")
        return dict(re.findall(r"(\w+)=(\S*)", text))

    def wait(self, number: str, *states: str, seconds: float = PATIENCE) -> dict[str, str]:
        """Wait until a job is in one of these states."""
        what = f"job {number} is {' or '.join(states)}"
        self.until(lambda: self.job(number)["JobState"] in states, what, seconds)
        return self.job(number)

    def until(self, holds: Callable[[], bool], what: str, seconds: float = PATIENCE) -> None:
        """Wait until something holds."""
        late = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < late, f"not within {seconds} s: {what}\n{self.told()}"
            time.sleep(0.2)

    def told(self) -> str:
        """The ends of the daemons' logs."""
        logs = sorted(self.folder.glob("*.log"))
        return "\n".join(f"{log.name}: {log.read_text(errors='replace')[-2000:]}" for log in logs)
