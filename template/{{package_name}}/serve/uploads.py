"""Images as clients send them: read within limits, checked before they are decoded.

Whatever is wrong with a request is an HTTPException, whose detail is for the client.
"""

import asyncio
import io
from typing import Any, NamedTuple

import numpy as np
from PIL import Image, UnidentifiedImageError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request

from ..base.errors import DataError
from ..data import images

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
SECONDS = 30.0  # that an upload may take
NAME = 100  # characters of a file's name that a message repeats


class Limits(NamedTuple):
    """What a request may hold."""

    bytes: int
    pixels: int  # of an image
    files: int


class Upload(NamedTuple):
    """An image file, and what the client calls it."""

    name: str
    data: bytes


async def read(request: Request, limits: Limits) -> list[Upload]:
    """The images in the body of a request, or in the files of its form.

    Raises HTTPException; a body that is too large is read no further than the limit.
    """
    too_large = HTTPException(
        413, f"the body is larger than the limit of {limits.bytes:,} bytes: send a smaller image"
    )
    size = 0

    async def receive() -> Any:
        nonlocal size
        message = await request.receive()
        size += len(message.get("body", b""))
        if size > limits.bytes:
            raise too_large
        return message

    limited = Request(request.scope, receive)
    try:
        async with asyncio.timeout(SECONDS):
            if request.headers.get("content-type", "").startswith("multipart/form-data"):
                return await read_form(limited, limits)
            return [Upload("body", await limited.body())]
    except TimeoutError:
        raise HTTPException(408, f"the body took longer than {SECONDS:.0f} s") from None


async def read_form(request: Request, limits: Limits) -> list[Upload]:
    """The files of a form; raises HTTPException if it has none, or anything else."""
    try:
        form = await request.form(max_files=limits.files, max_fields=limits.files)
    except (ClientDisconnect, OSError, HTTPException):
        raise
    except Exception as error:  # what is wrong with a form makes parsers raise nearly anything
        raise HTTPException(400, f"the form cannot be read: {error}") from error
    try:
        uploads = []
        for field, value in form.multi_items():
            if isinstance(value, str):
                raise HTTPException(400, f"{field[:NAME]!r} is not a file: send images as files")
            uploads.append(Upload(value.filename or field, await value.read()))
    finally:
        await form.close()
    if not uploads:
        raise HTTPException(400, "the form has no file: send an image as one")
    return uploads


def decode(upload: Upload, size: images.Size, limits: Limits) -> np.ndarray:
    """The image as `predict` reads it from a file, (H, W, 3) uint8; raises HTTPException."""
    name = upload.name[:NAME]
    if not upload.data:
        raise HTTPException(400, f"{name}: the file is empty: send an image")
    too_large = HTTPException(
        413, f"{name}: the image has more than {limits.pixels:,} pixels: send a smaller one"
    )
    try:
        with Image.open(io.BytesIO(upload.data), formats=FORMATS) as image:  # its header alone
            if image.width * image.height > limits.pixels:
                raise too_large
        return images.fit(images.decode(upload.data, size), *size)
    except HTTPException:
        raise
    except DataError as error:
        raise HTTPException(400, f"{name}: {error}: send a whole image") from error
    except UnidentifiedImageError:
        known = ", ".join(FORMATS)
        raise HTTPException(415, f"{name}: not an image that can be read ({known})") from None
    except Image.DecompressionBombError:
        raise too_large from None
    except Exception as error:  # a corrupt header makes Pillow raise nearly anything
        raise HTTPException(400, f"{name}: corrupt image ({error}): send a whole image") from error
