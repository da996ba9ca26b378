"""Images as the content of files."""

import io

import numpy as np
from PIL import Image


def as_png(image: np.ndarray) -> bytes:
    """The content of a PNG file."""
    file = io.BytesIO()
    Image.fromarray(image).save(file, "PNG")
    return file.getvalue()
