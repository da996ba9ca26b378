"""Requests per second of a project's service, how long each takes, and what memory it holds.

    python benchmarks/service.py [--seconds 20]

The default model on scans of digits, by 1, 4 and 16 clients that ask one after the other, beside a
loop over the same model that gets whole batches and decodes nothing. Writes its section of
benchmarks/README.md.
"""

import argparse
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from drawn import new_project, run
from timing import ENVIRONMENT, TRY, write_section

NAME = "served"
CLIENTS = (1, 4, 16)
ADDRESS = re.compile(r"http://[^:]+:(\d+)")

LOOP = f"""
import sys, time
from pathlib import Path
import torch
from {NAME}.engine.trained import load_trained
trained = load_trained(Path("run"), torch.device("cpu"))
inputs, done, began = trained.facts.zeros(32), 0, time.perf_counter()
while time.perf_counter() - began < float(sys.argv[1]):
    trained.task.predictions(trained.answer(inputs))
    done += len(inputs)
print(done / (time.perf_counter() - began))
"""


def resident(pid: int) -> float:
    """MiB that a process holds in memory, on Linux."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def ask(port: int, images: list[bytes], end: float, took: list[float]) -> None:
    """One client: an image after the other over one connection, each answered before the next."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    number = 0
    while time.perf_counter() < end:
        began = time.perf_counter()
        connection.request("POST", "/predict", images[number % len(images)])
        answer = connection.getresponse()
        if not json.loads(answer.read())["predictions"] or answer.status != 200:
            raise SystemExit(f"a request was answered with {answer.status}")
        took.append(1000 * (time.perf_counter() - began))
        number += 1
    connection.close()


def load(port: int, images: list[bytes], clients: int, seconds: float) -> tuple[float, np.ndarray]:
    """Requests per second of so many clients, and the milliseconds that each request took."""
    took: list[list[float]] = [[] for _ in range(clients)]
    began = time.perf_counter()
    threads = [
        threading.Thread(target=ask, args=(port, images, began + seconds, mine)) for mine in took
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    every = np.concatenate([np.array(mine) for mine in took])
    return len(every) / (time.perf_counter() - began), every


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=1.0 if TRY else 20.0)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory() as scratch:
        project = new_project(Path(scratch), "imagefolder", NAME, "--logger", "none")
        run(project, "-m", f"{NAME}.prepare", "--demo")
        run(project, "-m", f"{NAME}.train", "--epochs", "1", "--run-dir", "run", "--no-report")
        images = [path.read_bytes() for path in sorted((project / "data" / "val").rglob("*.png"))]
        command = [sys.executable, "-m", f"{NAME}.tools.serve", "run", "--port", "0"]
        service = subprocess.Popen(
            command, cwd=project, env=ENVIRONMENT, stdout=subprocess.PIPE, encoding="utf-8"
        )
        assert service.stdout is not None
        try:
            port = next(int(it[1]) for line in service.stdout if (it := ADDRESS.search(line)))
            load(port, images, 1, seconds / 10)  # what the first requests load is in memory then
            before = resident(service.pid)
            found = {clients: load(port, images, clients, seconds) for clients in CLIENTS}
            after = resident(service.pid)
        finally:
            service.send_signal(signal.SIGTERM)
            code = service.wait(30)
        loop = subprocess.run(
            [sys.executable, "-c", LOOP, str(seconds)],
            cwd=project,
            env=ENVIRONMENT,
            capture_output=True,
            check=True,
        )
    rows = ["| clients | requests/s | median, ms | 99th percentile, ms |", "|---|---|---|---|"]
    for clients, (speed, took) in found.items():
        median, late = np.percentile(took, [50, 99])
        rows.append(f"| {clients} | {speed:,.0f} | {median:.1f} | {late:.1f} |")
    requests = sum(len(took) for _, took in found.values())
    note = (
        f"The default model, scans of 8 x 8 pixels as PNG, the clients on the same machine. "
        f"A loop over batches of 32 that are in memory: {float(loop.stdout):,.0f} images/s. "
        f"{requests:,} requests, none lost; the service held {before:.0f} MiB before them, and "
        f"{after:.0f} MiB after them. It ended with {code} after SIGTERM."
    )
    write_section("service.py", "The service", note, ["\n".join(rows)])


if __name__ == "__main__":
    main()
