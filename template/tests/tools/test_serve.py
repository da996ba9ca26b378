"""The service gives the answers of `predict`, together in batches, and loses none of them."""

import http.client
import io
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
import torch
from conftest import CPU, command, environment, run
from PIL import Image
from torch import nn

from toy.base.errors import FlagError
from toy.base.facts import Facts
from toy.config import Config
from toy.data.loose import read_image
from toy.engine.exported import ABOUT, Exported, about
from toy.engine.trained import Trained
from toy.task import Task
from toy.tools.edge import Edge, protocol
from toy.tools.serve import ServeConfig, bound, main, open_service
from toy.tools.service import Service
from toy.tools.web import make_app

pytest.importorskip("fastapi")
pytest.importorskip("python_multipart")
uvicorn = pytest.importorskip("uvicorn")

SHAPE = (8, 8, 3)
SECONDS = 30


class Weighing(nn.Module):
    """Images (B, 8, 8, 3) uint8 to shares (B, 2), by fixed weights; it waits until it may."""

    def __init__(self) -> None:
        super().__init__()
        weights = torch.linspace(-1, 1, 2 * 8 * 8 * 3).sin().view(-1, 2)
        self.register_buffer("weights", weights)
        self.may = threading.Event()
        self.may.set()

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        self.may.wait(SECONDS)
        return weigh(self.weights, images)


class Plain(nn.Module):
    """The same, as it can be exported."""

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("weights", Weighing().weights)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return weigh(self.weights, images)


def weigh(weights: torch.Tensor, images: torch.Tensor) -> torch.Tensor:
    """The arithmetic of both."""
    return ((images.flatten(1).float() / 255 - 0.5) @ weights).softmax(dim=1)


def facts_of(**others: Any) -> Facts:
    """Facts of images of two classes."""
    facts = Facts(["ant", "bé"], SHAPE, "uint8", 9, [0.0] * 3, [1.0] * 3, "", {"counts": [4, 5]})
    return facts._replace(**others)


def model_of(**others: Any) -> Exported:
    """A model that answers as one that was exported does."""
    facts = facts_of(**others)
    return Exported(Weighing(), Task(Config(), facts).eval(), facts)


class Server(NamedTuple):
    """A service that runs in a thread of this process."""

    model: Exported
    service: Service
    edge: Edge
    port: int

    def ask(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body of an answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS)
        try:
            connection.request(method, path, body, headers or {})
            answer = connection.getresponse()
            found = {name.lower(): value for name, value in answer.getheaders()}
            return answer.status, found, answer.read()
        finally:
            connection.close()

    def predict(self, *images: bytes, details: bool = False) -> Any:
        """The answer to one image as the body, or to several as files."""
        body, headers = (images[0], {}) if len(images) == 1 else form_of(*images)
        path = "/predict?details=true" if details else "/predict"
        status, _, answer = self.ask("POST", path, body, headers)
        assert status == 200, answer
        return json.loads(answer)


@contextmanager
def serving(model: Exported | None = None, **flags: Any) -> Iterator[Server]:
    """Serve a model with these flags."""
    model, usual = model or model_of(), Image.MAX_IMAGE_PIXELS
    service = open_service(model, CPU, ServeConfig(Path("toy.pt2"), **{"max_batch": 8} | flags))
    edge, listener = make_app(service), bound("127.0.0.1", 0)
    listener.listen()
    settings = {"http": protocol(), "ws": "none", "lifespan": "off", "log_level": "critical"}
    server = uvicorn.Server(uvicorn.Config(edge, **settings))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        yield Server(model, service, edge, listener.getsockname()[1])
    finally:
        model.program.may.set()
        server.should_exit = True
        thread.join(SECONDS)
        service.close()
        Image.MAX_IMAGE_PIXELS = usual
        assert not thread.is_alive()


def draw(seed: int, side: int = 8, file_format: str = "PNG") -> bytes:
    """The content of an image file, noise that differs with the seed."""
    pixels = np.random.default_rng(seed).integers(0, 256, (side, side, 3), dtype=np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, file_format)
    return file.getvalue()


def form_of(*files: bytes) -> tuple[bytes, dict[str, str]]:
    """A form with these files, 0.png and so on, and the headers that say so."""
    head = 'Content-Disposition: form-data; name="image"; filename="{}.png"\r\n\r\n'
    parts = [head.format(n).encode() + file for n, file in enumerate(files)]
    body = b"".join(b"--edge\r\n" + part + b"\r\n" for part in parts) + b"--edge--\r\n"
    return body, {"Content-Type": "multipart/form-data; boundary=edge"}


def expected(model: Exported, folder: Path, *files: bytes) -> list[dict[str, Any]]:
    """What `predict` says of files: each is read from the disk and answered by itself."""
    found = []
    for number, content in enumerate(files):
        path = folder / f"{number}.png"
        path.write_bytes(content)
        pixels = torch.from_numpy(read_image(path, model.facts.shape)[None])
        found += model.task.predictions(model.answer(pixels))
    return found


def assert_same(found: dict[str, Any], wanted: dict[str, Any]) -> None:
    """Two answers of the toy agree, but for rounding."""
    assert found["numbers"] == pytest.approx(wanted["numbers"], abs=1e-6)


def wait_until(holds: Callable[[], object], seconds: float = SECONDS) -> None:
    """Wait for what another thread is about to do."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.005)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


def test_answers_are_those_of_predict_under_the_names_of_the_files(
    server: Server, tmp_path: Path
) -> None:
    # of the model's size and of others, by both decoders
    files = [draw(0), draw(1, 20), draw(2, 13, "JPEG"), draw(3, 8, "JPEG"), draw(4, 30, "WEBP")]
    wanted = expected(server.model, tmp_path, *files)
    assert len({answer["numbers"][0] for answer in wanted}) == len(files)
    alone = [server.predict(file)["predictions"] for file in files]
    assert [answer["image"] for (answer,) in alone] == ["body"] * len(files)
    together = server.predict(*files)["predictions"]
    assert [answer["image"] for answer in together] == [f"{n}.png" for n in range(len(files))]
    for (one,), other, right in zip(alone, together, wanted, strict=True):
        assert_same(one, right)
        assert_same(other, right)
        assert one.keys() == other.keys() == {"image", *right}


def test_requests_at_one_time_share_a_batch_and_get_their_own_answers(tmp_path: Path) -> None:
    files = [draw(seed) for seed in range(12)]
    with serving(max_batch=12, max_wait_ms=1000 * SECONDS // 3) as server:  # before clients give up
        with ThreadPoolExecutor(len(files)) as pool:
            answers = list(pool.map(server.predict, files))
        # none of them would have been answered alone
        assert (sum(server.service.sizes.counts), server.service.sizes.total) == (1, 12)
        wanted = expected(server.model, tmp_path, *files)
    for answer, right in zip(answers, wanted, strict=True):
        assert_same(*answer["predictions"], right)


def test_a_full_queue_refuses_and_the_service_still_says_how_it_is() -> None:
    with serving(max_queue=3, max_files=3, max_batch=1) as server:
        server.model.program.may.clear()
        with ThreadPoolExecutor(4) as pool, ExitStack() as held:
            held.callback(server.model.program.may.set)
            accepted = [pool.submit(server.predict, draw(seed)) for seed in range(2)]
            wait_until(lambda: server.service.taken == 2)
            refused = pool.submit(server.ask, "POST", "/predict", *form_of(draw(3), draw(4)))
            wait_until(refused.done, 5)
            status, headers, body = refused.result()
            assert (status, headers["retry-after"]) == (503, "1")
            assert json.loads(body)["error"].startswith("the queue is full")
            accepted.append(pool.submit(server.predict, draw(5)))  # for which there is a place
            wait_until(lambda: server.service.batcher.waiting == 2)
            status, _, body = server.ask("POST", "/predict", draw(6))
            assert status == 503
            assert json.loads(server.ask("GET", "/health")[2])["status"] == "ready"
            metrics = server.ask("GET", "/metrics")[2].decode().splitlines()
            assert {"serve_queue_images 2", "serve_work_images 3"} <= set(metrics)
            server.model.program.may.set()
            assert all(future.result(SECONDS) for future in accepted)
        wait_until(lambda: server.service.taken == 0)
        assert server.predict(draw(6))


def test_a_model_that_fails_says_so_without_a_traceback_until_it_works_again() -> None:
    with serving() as server:
        bad, forward = model_of().program, server.model.program.forward
        del bad.weights
        server.model.program.forward = bad.forward
        status, headers, body = server.ask("POST", "/predict", draw(0))
        assert (status, headers["content-type"]) == (500, "application/json")
        assert json.loads(body) == {"error": "the model failed: the service's log says why"}
        status, _, body = server.ask("GET", "/health")
        assert (status, json.loads(body)["status"]) == (503, "failing")
        server.model.program.forward = forward
        server.predict(draw(0))
        assert server.ask("GET", "/health")[0] == 200


def test_health_and_metrics_say_what_happened() -> None:
    with serving() as server:
        about = json.loads(server.ask("GET", "/health")[2])
        assert about == {
            "status": "ready",
            "model": "toy.pt2",
            "device": "cpu",
            "input": [8, 8, 3],
            "classes": ["ant", "bé"],
        }
        server.predict(draw(0))
        server.predict(draw(0), draw(1), draw(2))
        server.ask("POST", "/predict", b"no image")
        server.ask("GET", "/a/path/that/someone/guesses")
        _, headers, body = server.ask("GET", "/metrics")
        lines = body.decode().splitlines()
        assert headers["content-type"].startswith("text/plain; version=0.0.4")
        assert {
            'serve_requests_total{path="/health",status="200"} 1',
            'serve_requests_total{path="/predict",status="200"} 2',
            'serve_requests_total{path="/predict",status="415"} 1',
            'serve_requests_total{path="other",status="404"} 1',
            'serve_predict_seconds_bucket{le="+Inf"} 3',
            "serve_predict_seconds_count 3",
            'serve_batch_images_bucket{le="1"} 1',
            "serve_batch_images_sum 4",
            "serve_queue_images 0",
            "# TYPE serve_batch_images histogram",
        } <= set(lines)
        buckets = [int(line.split()[1]) for line in lines if "seconds_bucket" in line]
        assert buckets == sorted(buckets)


def test_the_page_needs_nothing_else_and_details_have_words_and_classes(server: Server) -> None:
    status, headers, body = server.ask("GET", "/")
    page = body.decode()
    assert status == 200 and headers["content-type"].startswith("text/html")
    assert "default-src 'none'" in headers["content-security-policy"]
    assert "toy.pt2" in page and "http:" not in page and "https:" not in page
    found = server.predict(draw(0), draw(1), details=True)
    for answer, detail in zip(found["predictions"], found["details"], strict=True):
        assert detail["words"] == server.model.task.in_words(answer)
        assert [each["class"] for each in detail["classes"]] == ["ant", "bé"]
        assert sum(each["probability"] for each in detail["classes"]) == pytest.approx(1)
    without = model_of(targets={"mean": 0.0})  # numbers, whose columns are no classes
    with serving(without) as other:
        assert other.predict(draw(0), details=True)["details"][0]["classes"] is None


def test_an_answer_that_is_no_number_is_null() -> None:
    with serving() as server:
        server.model.program.weights.fill_(float("nan"))
        (answer,) = server.predict(draw(0), details=True)["predictions"]
        assert answer["numbers"] == [None, None]


def test_a_model_of_other_inputs_and_an_address_in_use_are_refused_in_one_line(
    tmp_path: Path,
) -> None:
    for others in ({"shape": (6,), "dtype": "int16"}, {"shape": (8, 8, 4)}, {"dtype": "int64"}):
        with pytest.raises(FlagError, match=r"takes .* no images, .*: use predict$"):
            open_service(model_of(**others), CPU, ServeConfig(tmp_path))
    with bound("127.0.0.1", 0) as first:
        first.listen()
        with pytest.raises(FlagError, match=r"in use; take another, or --port 0"):
            main(ServeConfig(tmp_path, port=first.getsockname()[1], device="cpu"))
    for wrong in ({"max_batch": 0}, {"port": 70_000}, {"max_files": 9, "max_queue": 8}):
        with pytest.raises(ValueError, match=r"--(max-batch|port|max-files) "):
            ServeConfig(tmp_path, **wrong)


def export_to(path: Path) -> Path:
    """Write the model as `export` writes one."""
    model, facts = Plain(), facts_of()
    batch = torch.export.Dim("batch", min=1)
    with torch.no_grad():
        shapes = ({0: batch},)
        program = torch.export.export(model, (facts.zeros(2),), dynamic_shapes=shapes)
    known = about(Trained(model, Task(Config(), facts), facts, Config()))
    torch.export.save(program, path, extra_files={ABOUT: json.dumps(known)})
    return path


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows knows no such signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_loses_no_request_that_was_accepted(number: int, tmp_path: Path) -> None:
    files = [draw(seed) for seed in range(20)]
    # all of them wait for more than ever come
    flags = ("--port=0", "--max-batch=64", "--max-wait-ms=3000", "--device=cpu")
    line = command("tools.serve", export_to(tmp_path / "a.pt2"), *flags)
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(line, env=environment(), encoding="utf-8", **pipes) as process:
        assert process.stdout is not None
        said = process.stdout.readline()
        assert "answers at http://127.0.0.1:" in said
        port = int(said.partition("127.0.0.1:")[2].partition(";")[0])
        server = Server(model_of(), None, None, port)  # type: ignore[arg-type]
        with ThreadPoolExecutor(len(files)) as pool:
            answers = [pool.submit(server.predict, file) for file in files]
            wait_until(lambda: b"serve_queue_images 20\n" in server.ask("GET", "/metrics")[2])
            process.send_signal(number)
            found = [answer.result(SECONDS) for answer in answers]
        assert process.wait(SECONDS) == 0 and process.stdout.read() == ""
    for answer, right in zip(found, expected(server.model, tmp_path, *files), strict=True):
        assert_same(*answer["predictions"], right)


@pytest.mark.slow
def test_the_command_refuses_in_one_line(finished_run: Path) -> None:
    said = run("tools.serve", finished_run, "--port=0", "--device=cpu", exits=2)
    assert said.startswith(f"error: {finished_run} takes int16 of the shape (6,), no images")
    assert said.count("\n") == 1
