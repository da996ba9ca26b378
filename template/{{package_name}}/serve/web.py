"""The web application around a model: predictions, a page to try it on, health and metrics."""

import asyncio
import html
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from .service import Service
from .uploads import read

PACKAGE = __name__.partition(".")[0]
PAGE = Path(__file__).with_name("page.html")
PATHS = ("/", "/predict", "/health", "/metrics")
USAGE = "POST an image to /predict; GET /, /health or /metrics"
# the page needs nothing from elsewhere
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
DRAIN_SECONDS, DRAIN_BYTES = 1.0, 1 << 20  # for the rest of a refused body


class Metered:
    """An ASGI application around another one, which counts what passes through it.

    A refused body may still be on its way, and a connection that is closed with unread data is
    reset: the client might never see the response. So a part of that body is read and dropped.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        start, headers, status = time.monotonic(), dict(scope["headers"]), 0
        has_body = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
        unread = has_body and b"expect" not in headers  # with it, a client waits before it sends

        async def receive_part() -> Message:
            nonlocal unread
            message = await receive()
            unread = message.get("more_body", False)
            return message

        async def send_part(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status, dropped = message["status"], 0
                try:
                    async with asyncio.timeout(DRAIN_SECONDS):
                        while unread and dropped < DRAIN_BYTES:
                            dropped += len((await receive_part()).get("body", b""))
                except TimeoutError:
                    pass
            await send(message)

        try:
            await self.app(scope, receive_part, send_part)
        finally:
            path = scope["path"] if scope["path"] in PATHS else "other"
            self.service.requests.labels(path, str(status)).inc()
            if path == "/predict":
                self.service.seconds.observe(time.monotonic() - start)


def make_app(service: Service) -> ASGIApp:
    """The application, whose paths are PATHS."""
    page = PAGE.read_text(encoding="utf-8")
    page = page.replace("[[ title ]]", PACKAGE).replace("[[ model ]]", html.escape(service.name))
    page = page.replace("[[ max_bytes ]]", str(service.limits.bytes))

    async def show_page(_: Request) -> Response:
        headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
        return Response(page, media_type="text/html", headers=headers)

    async def predict(request: Request) -> Response:
        with service.reserve(1):
            uploads = await read(request, service.limits)
            with service.reserve(len(uploads) - 1):
                results = await service.predict(uploads)
        pairs = zip(uploads, results, strict=True)
        predictions = [{"image": upload.name} | result.prediction for upload, result in pairs]
        found = {"predictions": predictions}
        if request.query_params.get("details") == "true":
            found["details"] = [service.details(result) for result in results]
        return JSONResponse(found)

    async def health(_: Request) -> Response:
        failed = service.batcher.failed
        about = {"status": "failing" if failed else "ready"} | service.about
        return JSONResponse(about, 503 if failed else 200)

    async def metrics(_: Request) -> Response:
        headers = {"content-type": CONTENT_TYPE_LATEST}
        return Response(generate_latest(service.registry), headers=headers)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(service.batcher.run())
        yield
        task.cancel()

    app = Starlette(
        lifespan=lifespan,
        routes=[
            Route("/", show_page),
            Route("/predict", predict, methods=["POST"]),
            Route("/health", health),
            Route("/metrics", metrics),
        ],
        exception_handlers=dict.fromkeys((HTTPException, ClientDisconnect, Exception), refuse),
    )
    return Metered(app, service)


async def refuse(request: Request, error: Exception) -> Response:
    """One line of JSON for whatever goes wrong; a bug is raised again, and logged, after it."""
    if isinstance(error, ClientDisconnect):
        return JSONResponse({"error": "the connection ended within the body"}, 400)
    if not isinstance(error, HTTPException):
        return JSONResponse({"error": "the model failed: the service's log says why"}, 500)
    detail = error.detail
    if error.status_code in (404, 405):
        detail = f"there is no {request.method[:20]} {request.url.path[:100]}: {USAGE}"
    return JSONResponse({"error": detail}, error.status_code, error.headers)
