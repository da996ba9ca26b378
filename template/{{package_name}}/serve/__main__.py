"""Serve a model over HTTP."""

import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import torch
import tyro

from ..base import cli
from ..base.cli import Settings, require
from ..base.device import pick_device
from ..base.errors import FlagError, UserError
from ..engine.trained import TrainedModel, load_trained
from ..export.program import ExportedModel, load_program
from ..export.weights import load_safetensors


@dataclass(frozen=True)
class ServeConfig(Settings):
    """Serve a model over HTTP, for this machine alone unless --host says otherwise.

    It has no logins, no TLS and no rate limits: for others than yourself, put it behind a proxy
    that has. POST /predict takes an image as the body, or files as multipart/form-data, and returns
    what `predict --json` prints; ?details=true adds the probability of each class. GET / is a page
    to try it on; /health and /metrics are for machines. SIGTERM and Ctrl-C end it, after the
    requests that it has accepted.
    """

    checkpoint: Annotated[Path, tyro.conf.Positional]
    """A run's folder, for its best epoch; a checkpoint; or a .pt2 (on the CPU) or .safetensors file
    that export wrote."""
    host: str = "127.0.0.1"
    """Address to listen on. 0.0.0.0 lets everyone in who can reach this machine."""
    port: int = 8000
    """Port to listen on; 0 takes a free one."""
    device: str = "auto"
    """cpu, cuda, cuda:1, mps, ...; auto takes an accelerator if there is one."""
    max_batch: int = 32
    """Images in a batch of the model."""
    max_wait_ms: float = 2.0
    """Milliseconds that an image waits for others."""
    max_queue: int = 128
    """Images at a time, from request to response; a request beyond that gets status 503."""
    max_files: int = 16
    """Images in one request."""
    max_bytes: int = 10_000_000
    """Bytes in the body of a request."""
    max_pixels: int = 25_000_000
    """Pixels of an image, whose decoding may take up to 16 bytes each."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("max_batch", "max_queue", "max_files", "max_bytes", "max_pixels"):
            require(self, name, getattr(self, name) >= 1, "at least 1")
        require(self, "port", 0 <= self.port < 1 << 16, "from 0 to 65535")
        require(self, "max_wait_ms", 0 <= self.max_wait_ms < 60_000, "from 0 to 60000")
        require(self, "max_files", self.max_files <= self.max_queue, "at most --max-queue")


def main() -> None:
    """Listen, load, respond until a signal comes, and finish what was accepted."""
    config = cli.parse(ServeConfig)
    try:
        import uvicorn

        from .service import Service
        from .uploads import Limits
        from .web import make_app
    except ImportError as error:
        raise UserError(f"this needs {error.name}: pip install -e '.[serve]'") from error
    listener = listen(config.host, config.port)
    model = load_model(config)
    try:
        service = Service(
            model,
            str(config.checkpoint),
            limits=Limits(config.max_bytes, config.max_pixels, config.max_files),
            max_queue=config.max_queue,
            max_batch=config.max_batch,
            max_wait=config.max_wait_ms / 1000,
        )
    except torch.OutOfMemoryError as error:
        raise FlagError(f"--max-batch {config.max_batch} does not fit into the memory") from error
    app = make_app(service)
    server = uvicorn.Server(uvicorn.Config(app, ws="none", log_level="error"))

    def stop(*_: object) -> None:  # until uvicorn handles signals, and when it raises them again
        server.should_exit = True

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    host, port = listener.getsockname()[:2]
    where = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    print(f"{config.checkpoint} is served at {where}; Ctrl-C ends it", flush=True)
    server.run(sockets=[listener])


def load_model(config: ServeConfig) -> TrainedModel | ExportedModel:
    """Read the model; raises FlagError if it does not take RGB images."""
    path, kind = config.checkpoint, config.checkpoint.suffix.lower()
    device = pick_device("cpu" if kind == ".pt2" and config.device == "auto" else config.device)
    loaders: dict[str, Callable[[Path, torch.device], TrainedModel | ExportedModel]]
    loaders = {".pt2": load_program, ".safetensors": load_safetensors}
    model = loaders.get(kind, load_trained)(path, device)
    shape, dtype = model.info.shape, model.info.dtype
    if len(shape) != 3 or shape[2] != 3 or dtype != "uint8":
        raise FlagError(
            f"{path} takes {dtype} of shape {shape}: only models of RGB images can be served"
        )
    return model


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens on that address; raises FlagError if it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:  # the latter of a name that no host can have
        reason = getattr(error, "strerror", None) or error
        raise FlagError(
            f"--host {host} --port {port} cannot be used: {reason}; take another, or --port 0 for "
            "a free one"
        ) from error


if __name__ == "__main__":
    cli.run(main)
