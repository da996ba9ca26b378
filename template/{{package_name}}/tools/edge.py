"""What stands between the network and an application: replies, counts, bodies nobody has read."""

import asyncio
import json
import time
from collections import Counter
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from .prometheus import SECONDS, Histogram

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Message, Receive, Send], Awaitable[None]]

JSON = "application/json"
MALFORMED = "this is not valid HTTP/1.1: check the request line, the headers and their size"
STOPPING = "the service stops: send the request again, to another one"
LINGER_SECONDS, LINGER_BYTES = 1.0, 1 << 20  # for the rest of a body, once it is answered


def in_json(values: Any) -> bytes:
    """One line of JSON."""
    return f"{json.dumps(values)}\n".encode()


class Edge:
    """An ASGI application around another one, which counts what passes through it.

    A body that was refused before its end is still on its way, and a connection that is closed with
    unread data is reset: the client might never see the answer. So the answer goes out first, a
    little more of the body is dropped, and then the connection is closed.
    """

    def __init__(self, app: App, paths: tuple[str, ...], timed: str) -> None:
        """Count by status for each of the paths, and measure the seconds of one of them."""
        self.app, self.paths, self.timed = app, paths, timed
        self.counts: Counter[tuple[str, int]] = Counter()
        self.seconds = Histogram(SECONDS)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        """Pass a request on, and the answer back."""
        start, exchange = time.monotonic(), Exchange(scope, receive, send)
        try:
            await self.app(scope, exchange.receive, exchange.send)
        except asyncio.CancelledError:  # stopped with force: nobody waits for this task
            if not exchange.status:
                await exchange.refuse(503, STOPPING)
        finally:
            path = scope["path"] if scope["path"] in self.paths else "other"
            self.counts[path, exchange.status] += 1
            if path == self.timed:
                self.seconds.observe(time.monotonic() - start)


class Exchange:
    """A request and its answer."""

    def __init__(self, scope: Message, receive: Receive, send: Send) -> None:
        headers = dict(scope["headers"])
        self._receive, self._send = receive, send
        has_body = headers.get(b"content-length", b"0") != b"0" or b"transfer-encoding" in headers
        self.unread = has_body  # whether some of the body is still to come
        self.status = 0  # of the answer; 0 before it begins

    async def receive(self) -> Message:
        """The next part of the body."""
        message = await self._receive()
        if not message.get("more_body", False):
            self.unread = False
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            if self.unread:
                message["headers"] = [*message["headers"], (b"connection", b"close")]
        elif self.unread and not message.get("more_body", False):
            await self._send({**message, "more_body": True})
            await self.linger()
            message = {"type": "http.response.body", "body": b""}
        await self._send(message)

    async def linger(self) -> None:
        """Drop what comes of the body, for a moment."""
        dropped = 0
        try:
            async with asyncio.timeout(LINGER_SECONDS):
                while self.unread and dropped < LINGER_BYTES:
                    dropped += len((await self.receive()).get("body", b""))
        except TimeoutError:
            pass

    async def refuse(self, status: int, message: str) -> None:
        """Answer in place of the application."""
        headers = [(b"content-type", JSON.encode()), (b"connection", b"close")]
        await self.send({"type": "http.response.start", "status": status, "headers": headers})
        await self.send({"type": "http.response.body", "body": in_json({"error": message})})


def protocol() -> type[asyncio.Protocol]:
    """HTTP/1.1 as uvicorn speaks it, which says in JSON, too, that a request is malformed."""
    from uvicorn.protocols.http.h11_impl import H11Protocol

    class Protocol(H11Protocol):
        def send_400_response(self, _msg: str) -> None:
            """Answer what is no request; where an answer is on its way, end it."""
            cycle, body = self.cycle, in_json({"error": MALFORMED})
            if cycle is None or cycle.response_complete or not cycle.response_started:
                head = (
                    f"HTTP/1.1 400 Bad Request\r\ncontent-type: {JSON}\r\n"
                    f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
                )
                self.transport.write(head.encode() + body)
            self.transport.close()

    return Protocol
