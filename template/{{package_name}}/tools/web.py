"""The web application around a model: predictions, a page to try it on, health and metrics."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from ..base.errors import PACKAGE
from ..base.values import Plain
from ..report.page import finite, render
from . import prometheus
from .edge import JSON, App, Edge, in_json
from .service import Service
from .uploads import Refused, read

if TYPE_CHECKING:
    from fastapi import FastAPI, Response

PAGE = Path(__file__).with_name("serve.html")
PATHS = ("/", "/predict", "/health", "/metrics", "/openapi.json")
# the page has all that it needs within itself
POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
    "img-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'"
)
BODY = {"schema": {"type": "string", "format": "binary"}}
FILES = {"schema": {"type": "object", "additionalProperties": BODY["schema"]}}
ACCEPTS = {"required": True, "content": {"image/*": BODY, "multipart/form-data": FILES}}


def make_app(service: Service) -> App:
    """The application, whose paths are PATHS."""
    from fastapi import FastAPI, Request, Response

    app = FastAPI(title=PACKAGE, docs_url=None, redoc_url=None, redirect_slashes=False)
    edge = Edge(app, PATHS, timed="/predict")
    page = render(PAGE, title=PACKAGE, model=service.name, max_bytes=service.limits.bytes)

    @app.get("/", response_class=Response)
    async def show_page() -> Response:
        headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
        return Response(page, media_type="text/html", headers=headers)

    @app.post("/predict", response_class=Response, openapi_extra={"requestBody": ACCEPTS})
    async def predict(request: Request, details: bool = False) -> Response:
        with service.places(1):
            uploads = await read(request, service.limits)
            with service.places(len(uploads) - 1):
                answers = await service.answers(uploads)
        pairs = zip(uploads, answers, strict=True)
        found: Plain = {"predictions": [{"image": u.name} | a.prediction for u, a in pairs]}
        if details:
            found["details"] = [service.details(answer) for answer in answers]
        return reply(found)

    @app.get("/health", response_class=Response)
    async def health() -> Response:
        about = service.about()
        return reply(about, 200 if about["status"] == "ready" else 503)

    @app.get("/metrics", response_class=Response)
    async def metrics() -> Response:
        return Response("\n".join([*lines(service, edge), ""]), media_type=prometheus.CONTENT_TYPE)

    answer_errors(app)
    return edge


def reply(values: Plain, status: int = 200, headers: Mapping[str, str] | None = None) -> "Response":
    """A response of one line of JSON; numbers that JSON does not have become null."""
    from fastapi import Response

    return Response(in_json(finite(values)), status, headers, media_type=JSON)


def lines(service: Service, edge: Edge) -> Iterator[str]:
    """The metrics of a service."""
    yield from prometheus.requests("serve_requests_total", "Requests by status.", edge.counts)
    yield from edge.seconds.lines("serve_predict_seconds", "From a request to its answer.")
    yield from service.sizes.lines("serve_batch_images", "Images in a batch of the model.")
    queue = service.batcher.waiting
    yield from prometheus.gauge("serve_queue_images", "Images that wait for the model.", queue)
    meaning = "Images at work, from their request to its answer."
    yield from prometheus.gauge("serve_work_images", meaning, service.taken)


def answer_errors(app: "FastAPI") -> None:
    """Have an application answer all that goes wrong in one line of JSON."""
    from fastapi import Request, Response
    from fastapi.exceptions import RequestValidationError
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect

    usage = "POST an image to /predict; GET /, /health or /metrics"

    @app.exception_handler(Refused)
    async def refused(_: Request, error: Refused) -> Response:
        return reply({"error": str(error)}, error.status, error.headers)

    @app.exception_handler(HTTPException)
    async def unrouted(request: Request, error: HTTPException) -> Response:
        what = f"{request.method[:20]} {request.url.path[:100]}"
        return reply({"error": f"there is no {what}: {usage}"}, error.status_code, error.headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        first = error.errors()[0]
        message = f"{first['loc'][-1]}: {first['msg']}: write ?details=true or leave it out"
        return reply({"error": message}, 422)

    @app.exception_handler(ClientDisconnect)
    async def gone(_: Request, __: ClientDisconnect) -> Response:
        return reply({"error": "the connection ended within the body"}, 400)

    @app.exception_handler(Exception)
    async def failed(_: Request, __: Exception) -> Response:
        return reply({"error": "the model failed: the service's log says why"}, 500)
