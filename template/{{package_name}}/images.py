"""Image files to pixels: every mode that Pillow reads comes out as 8-bit RGB."""

import io

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from .errors import DataError

# what torchvision takes for an image
EXTENSIONS = (".jpg", ".jpeg", ".png", ".ppm", ".bmp", ".pgm", ".tif", ".tiff", ".webp")


def decode(data: bytes) -> np.ndarray:
    """Decode an image file's bytes into RGB, (H, W, 3) uint8, turned as its EXIF tag says.

    16-bit grey is scaled to 8 bits, transparency dropped; of several frames the first is taken.
    Raises DataError with the reason; naming the file is left to the caller.
    """
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
