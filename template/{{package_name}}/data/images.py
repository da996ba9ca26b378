"""Image files to pixels: every mode that Pillow reads comes out as 8-bit RGB."""

import io
import os
import struct
from functools import cache
from pathlib import Path

import numpy as np
import simplejpeg
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError

from ..base.errors import DataError

# what torchvision takes for an image
EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")
READ = os.O_RDONLY | getattr(os, "O_BINARY", 0)  # the latter on Windows
START, END, EXIF = b"\xff\xd8", b"\xff\xd9", b"Exif\0"  # of a JPEG
FIRST = 1 << 16  # bytes: more than most small images have
LARGEST = 1 << 27  # pixels; whether to decode a larger image is left to Pillow


def read(path: str | Path, out: np.ndarray | None = None) -> np.ndarray:
    """Decode a file into RGB, (H, W, 3) uint8; with `out` it is made to fit that, and put there.

    Raises DataError naming the file.
    """
    try:
        data = content_of(path)
        return decode(data) if out is None else decode_into(data, out)
    except DataError as error:
        raise DataError(f"{path}: {error}") from error
    except OSError as error:
        raise DataError(f"{path}: {error.strerror}") from error


def content_of(path: str | Path) -> bytes:
    """The file's bytes: `open` and `read` take half as long again, which shows in small images."""
    file = os.open(path, READ)
    try:
        data = os.read(file, FIRST)
        if len(data) < FIRST and data.endswith(END):
            return data  # a whole JPEG: to ask for the size takes longer than to read it
        size = os.fstat(file).st_size
        while len(data) < size and (more := os.read(file, size - len(data))):
            data += more
        return data
    finally:
        os.close(file)


def decode_into(data: bytes, out: np.ndarray) -> np.ndarray:
    """`decode` and `fit`, into an array (H, W, 3) uint8: without a copy where it can be done."""
    if _decode_usual(data, out):
        return out
    height, width, _ = out.shape
    image = decode(data, (height, width), out)
    if image is not out:
        out[...] = fit(image, height, width)
    return out


def _decode_usual(data: bytes, out: np.ndarray) -> bool:
    """Whether this was a JPEG of just the wanted size that needs no closer look: it is in `out`.

    Such a one is baseline and has three colours; before its frame it has neither EXIF tags nor an
    image within it (a thumbnail). To have its header read would take three times as long as to find
    these bytes, which shows in small images.
    """
    shape = out.shape
    place = data.find(_frame(shape))
    if place < 0 or data.find(START, len(START), place) >= 0 or data.find(EXIF, 0, place) >= 0:
        return False
    try:
        return bool(simplejpeg.decode_jpeg(data, buffer=out).shape == shape)
    except ValueError:  # no JPEG, or damaged
        return False


@cache
def _frame(shape: tuple[int, int, int]) -> bytes:
    """The beginning of a usual JPEG's frame: marker, length, bits, height, width, colours."""
    height, width, _ = shape
    largest = 0xFFFF  # that any JPEG can have
    return struct.pack(">HHBHHB", 0xFFC0, 17, 8, min(height, largest), min(width, largest), 3)


def decode(
    data: bytes, at_least: tuple[int, int] = (0, 0), out: np.ndarray | None = None
) -> np.ndarray:
    """Decode an image file's bytes into RGB, (H, W, 3) uint8, turned as its EXIF tag says.

    16-bit grey is scaled to 8 bits, transparency dropped; of several frames the first is taken.
    Where `at_least` (height, width) is given, a larger JPEG may come out reduced, though no smaller
    than that. `out` is returned if it could be used. Raises DataError with the reason; naming the
    file is left to the caller.
    """
    image = _decode_plain_jpeg(data, at_least, out)
    return _decode_any(data) if image is None else image


def _decode_plain_jpeg(
    data: bytes, at_least: tuple[int, int], out: np.ndarray | None
) -> np.ndarray | None:
    """What libjpeg-turbo makes of a JPEG, in half of Pillow's time and with the same pixels.

    None for any other file, and for a JPEG that is turned, has four colours, is damaged or would
    fill the memory.
    """
    if not data.startswith(START) or _is_turned(data):
        return None
    smallest = {"min_height": at_least[0], "min_width": at_least[1]}
    try:
        height, width, colours, _ = simplejpeg.decode_jpeg_header(data, **smallest)
        if colours not in ("YCbCr", "RGB", "Gray") or height * width > LARGEST:
            return None
        if out is not None and out.shape == (height, width, 3):
            simplejpeg.decode_jpeg(data, buffer=out, **smallest)
            return out
        return simplejpeg.decode_jpeg(data, **smallest)
    except ValueError:
        return None


def _is_turned(data: bytes) -> bool:
    """Whether a JPEG's EXIF tag, which stands in one of its first segments, asks for a turn."""
    if data.find(EXIF, 0, 1 << 16) < 0:
        return False
    try:
        with Image.open(io.BytesIO(data)) as image:
            return image.getexif().get(ExifTags.Base.Orientation, 1) != 1
    except Exception:  # a damaged header makes Pillow raise nearly anything: let it say what
        return True


def _decode_any(data: bytes) -> np.ndarray:
    try:
        with Image.open(io.BytesIO(data)) as image:
            ImageOps.exif_transpose(image, in_place=True)
            return _to_rgb(image)
    except UnidentifiedImageError:
        raise DataError("not an image" if data else "the file is empty") from None
    except DataError:
        raise
    except Exception as error:  # a damaged file makes Pillow raise nearly anything
        raise DataError(f"damaged image ({error})") from error


def fit(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """Resize (H, W, C) uint8, C = 1 or 3, until it just covers the target, then crop its centre.

    Bilinear with antialiasing. An image that already has the size is returned as it is.
    """
    if image.shape[:2] == (height, width):
        return image
    channels = image.shape[2]
    source = Image.fromarray(image[:, :, 0] if channels == 1 else image)
    fitted = ImageOps.fit(source, (width, height), Image.Resampling.BILINEAR)
    return np.array(fitted).reshape(height, width, channels)


def _to_rgb(image: Image.Image) -> np.ndarray:
    """The pixels as (H, W, 3) uint8."""
    if image.mode == "F":
        raise DataError("floating-point pixels have no known range: save it with 8 or 16 bits")
    if image.mode.startswith("I"):  # I;16 and its kin, or 16 bits within 32: convert() clips these
        grey = np.asarray(image)
        if grey.min() < 0 or grey.max() > 0xFFFF:
            raise DataError("32-bit pixels have no known range: save it with 8 or 16 bits")
        return np.repeat((grey >> 8).astype(np.uint8)[:, :, None], 3, axis=2)
    if image.mode == "P":  # by way of RGBA, as Pillow warns about some transparent palettes
        image = image.convert("RGBA")
    return np.array(image.convert("RGB"))
