"""Images as clients send them: read within limits, checked before they are decoded.

Whatever is wrong with a request is a `Refused`, whose message is for the client.
"""

import asyncio
import io
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PIL import Image, UnidentifiedImageError

from ..base.errors import DataError
from ..data.loose import image_in

if TYPE_CHECKING:
    from starlette.requests import Request

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
RAW = ("", "application/octet-stream", "application/x-www-form-urlencoded")  # the last is curl's
SECONDS = 30.0  # that an upload may take
NAME = 100  # characters of a file's name that a message repeats
BOMBS = (Image.DecompressionBombError, Image.DecompressionBombWarning)


class Refused(Exception):
    """A request that is answered with a status and one line."""

    def __init__(self, status: int, message: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, headers


class Limits(NamedTuple):
    """What a request may hold."""

    bytes: int
    pixels: int  # of an image
    files: int


class Upload(NamedTuple):
    """An image file that has been read, and what the client calls it."""

    name: str
    data: bytes


def guard(limits: Limits) -> None:
    """Have Pillow itself refuse large images, for the rest of this process: a second lock."""
    Image.MAX_IMAGE_PIXELS = limits.pixels
    warnings.simplefilter("error", Image.DecompressionBombWarning)


async def read(request: "Request", limits: Limits) -> list[Upload]:
    """The images in the body of a request, or in the files of its form.

    Raises Refused; a body that is too large is read no further than the limit.
    """
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    form = kind == "multipart/form-data"
    if not form and kind not in RAW and not kind.startswith("image/"):
        raise Refused(
            415,
            f"Content-Type {kind[:NAME]} is not an image: send an image as the body, with "
            "image/png or the like, or files as multipart/form-data",
        )
    if request.headers.get("content-encoding", "identity") != "identity":
        raise Refused(415, "the body is compressed: send it without Content-Encoding")
    too_large = Refused(
        413, f"the body is larger than the limit of {limits.bytes:,} bytes: send a smaller image"
    )
    declared = request.headers.get("content-length", "")
    if declared.isdecimal() and int(declared[:19]) > limits.bytes:
        raise too_large
    size = 0

    async def receive() -> Any:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > limits.bytes:
            raise too_large
        return message

    limited = type(request)(request.scope, receive)
    try:
        async with asyncio.timeout(SECONDS):
            return await (files_of(limited, limits) if form else body_of(limited))
    except TimeoutError:
        raise Refused(408, f"the body took longer than {SECONDS:.0f} s: send it faster") from None


async def body_of(request: "Request") -> list[Upload]:
    """The body as an image; raises Refused where there is none."""
    body = await request.body()
    if not body:
        raise Refused(400, "the body is empty: send an image in it")
    return [Upload("body", body)]


async def files_of(request: "Request", limits: Limits) -> list[Upload]:
    """The files of a form; raises Refused where it has none, or something else."""
    from starlette.exceptions import HTTPException
    from starlette.requests import ClientDisconnect

    try:
        form = await request.form(max_files=limits.files, max_fields=limits.files)
    except (ClientDisconnect, OSError, Refused):
        raise
    except HTTPException as error:
        raise Refused(400, f"the form cannot be read: {error.detail}") from error
    except Exception as error:  # what is wrong with a form makes parsers raise nearly anything
        raise Refused(400, f"the form cannot be read: {error}") from error
    try:
        found = []
        for field, value in form.multi_items():
            if isinstance(value, str):
                raise Refused(400, f"the field {field[:NAME]!r} is no file: send images as files")
            found.append(Upload(value.filename or field, await value.read()))
    finally:
        await form.close()
    if not found:
        raise Refused(400, "the form has no file: send an image as one")
    return found


def decode(upload: Upload, shape: tuple[int, ...], limits: Limits) -> np.ndarray:
    """The image as `predict` would read it from a file, (H, W, C) uint8; raises Refused."""
    name = upload.name[:NAME]
    if not upload.data:
        raise Refused(400, f"{name}: the file is empty: send an image")
    too_large = Refused(
        413, f"{name}: the image has more than {limits.pixels:,} pixels: send a smaller one"
    )
    try:
        with Image.open(io.BytesIO(upload.data), formats=FORMATS) as image:  # its header alone
            width, height = image.size
        if width * height > limits.pixels:
            raise too_large
        return image_in(upload.data, shape)
    except UnidentifiedImageError:
        known = f"{', '.join(FORMATS[:-1])} or {FORMATS[-1]}"
        raise Refused(415, f"{name}: not an image that can be read: send {known}") from None
    except BOMBS:
        raise too_large from None
    except DataError as error:
        raise Refused(400, f"{name}: {error}: send a whole image") from error
    except Refused:
        raise
    except Exception as error:  # a damaged header makes Pillow raise nearly anything
        raise Refused(400, f"{name}: damaged image ({error}): send a whole image") from error
