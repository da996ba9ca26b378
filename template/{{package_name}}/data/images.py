"""Decode image files into 8-bit RGB, and look at the sizes of many."""

import io
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import IO

import numpy as np
import simplejpeg
from PIL import ExifTags, Image, ImageOps, UnidentifiedImageError, features

from ..base import distributed
from ..base.errors import DataError

# what torchvision's ImageFolder takes, and what Pillow also reads
EXTENSIONS: tuple[str, ...] = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff")
EXTENSIONS += (".webp", ".gif", ".jfif", *((".avif",) if features.check("avif") else ()))
GRAY_BITS = 8  # of grayscale images; set 10, 12 or 16 for those of your camera or scanner
MAX_SIDE = 224  # of images whose sizes differ, unless --image-size says otherwise
SURVEYED = 1000  # images, evenly spread, whose headers are read for their sizes
Size = tuple[int, ...]  # height, width
Crop = Callable[[np.ndarray, Size, int], np.ndarray]  # of an image, a size and the sample's index


def read(path: str, size: Size | None = None) -> np.ndarray:
    """Decode a file into RGB (H, W, 3) uint8, resized and center-cropped to `size` if given.

    Raises DataError naming the file.
    """
    try:
        with open(path, "rb") as file:
            image = decode(file.read(), size or (0, 0))
    except (DataError, OSError) as error:
        raise DataError(f"{path}: {getattr(error, 'strerror', error)}") from error
    return image if size is None else fit(image, *size)


def decode(data: bytes, at_least: Size = (0, 0)) -> np.ndarray:
    """Decode an image file's bytes into RGB (H, W, 3) uint8, rotated as its EXIF tag says.

    A JPEG much larger than `at_least` (height, width) is decoded at reduced scale. Of an animation
    the first frame is taken. Raises DataError with the reason; the caller adds the place.
    """
    height, width = at_least
    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.mode.startswith("RGB") and ";16" in str(image.tile):
                raise DataError("16 bits per color: save it with 8")  # Pillow would drop the rest
            upright = image.getexif().get(ExifTags.Base.Orientation, 1) == 1
            if data.startswith(b"\xff\xd8") and image.mode in ("L", "RGB") and upright:
                with suppress(ValueError):  # let Pillow say what is wrong
                    # twice Pillow's speed
                    return simplejpeg.decode_jpeg(data, min_height=height, min_width=width)
            ImageOps.exif_transpose(image, in_place=True)
            return to_rgb(image)
    except UnidentifiedImageError:
        raise DataError("not an image" if data else "the file is empty") from None
    except Image.DecompressionBombError as error:
        raise DataError(f"the image is too large ({error})") from error
    except DataError:
        raise
    except Exception as error:  # a corrupt file makes Pillow raise nearly anything
        raise DataError(f"corrupt image ({error})") from error


def fit(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """Resize (H, W, C) to cover the target (bilinear, antialiased), then center-crop."""
    if image.shape[:2] == (height, width):
        return image
    if image.ndim == 3 and (image.shape[2] != 3 or image.dtype != np.uint8):
        planes = [fit(plane, height, width) for plane in np.moveaxis(image, 2, 0)]
        return np.stack(planes, axis=2)  # Pillow has no mode for them together
    fitted = ImageOps.fit(Image.fromarray(image), (width, height), Image.Resampling.BILINEAR)
    return np.array(fitted)


def to_rgb(image: Image.Image) -> np.ndarray:
    """The pixels as (H, W, 3) uint8, scaled from GRAY_BITS; transparency is dropped."""
    if image.mode[0] in "IF":  # 16 or 32 bits, or floats; convert() would clip them
        gray = np.asarray(image)
        if image.mode == "F" or gray.min() < 0 or gray.max() >= 1 << GRAY_BITS:
            raise DataError(
                f"pixels of {gray.min()} to {gray.max()}: save it with 8 bits, or set GRAY_BITS in "
                f"data/images.py, now {GRAY_BITS}, to the bits that your images use"
            )
        return np.repeat((gray >> (GRAY_BITS - 8)).astype(np.uint8)[:, :, None], 3, axis=2)
    if image.mode == "P":  # via RGBA, since Pillow warns about some transparent palettes
        image = image.convert("RGBA")
    return np.array(image.convert("RGB"))


def choose_size(open_image: Callable[[int], str | IO[bytes]], count: int) -> Size | None:
    """The size (height, width) that all images have; for mixed sizes a square, said in a line.

    The square's side is the median shorter side, at most MAX_SIDE. `open_image` gives one of
    `count` files, of which only the header is read. None if Pillow can read none of them.
    """
    sizes: list[Size] = []
    for index in np.unique(np.linspace(0, count - 1, min(count, SURVEYED)).astype(int)).tolist():
        try:
            with Image.open(open_image(index)) as image:
                width, height = image.size
                # a PNG may have its tags behind the pixels
                tags = {} if image.format == "PNG" and "exif" not in image.info else image.getexif()
                rotated = tags.get(ExifTags.Base.Orientation, 1) >= 5  # by a quarter turn
                sizes.append((width, height) if rotated else (height, width))
        except Exception:  # a corrupt file makes Pillow raise nearly anything
            continue
    if len(set(sizes)) <= 1:
        return sizes[0] if sizes else None
    side = min(MAX_SIDE, int(np.median([min(size) for size in sizes])))
    said = f"images have {len(set(sizes))} different sizes: all are resized and cropped to {side}"
    if distributed.RANK == 0:
        print(f"{said} x {side}; --image-size sets another size", file=sys.stderr)
    return side, side
