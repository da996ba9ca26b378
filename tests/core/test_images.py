"""Every kind of image file comes out as 8-bit RGB, or is refused with a reason."""

import io
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps, features

from .conftest import Project, save

RNG = np.random.default_rng(0)
COLORS = RNG.integers(0, 256, (6, 8, 3), dtype=np.uint8)
DEEP = np.linspace(0, 0xFFFF, 54).astype(np.uint16).reshape(6, 9)


@pytest.fixture(scope="module")
def images(folder_project: Project) -> Any:
    return folder_project.module("data.images")


@pytest.fixture(scope="module")
def data_error(folder_project: Project) -> Any:
    return folder_project.module("base.errors").DataError


def exif_of(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


def encoded(image: Image.Image, kind: str, **options: Any) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


MODES = [("1", "png"), ("L", "png"), ("LA", "png"), ("P", "png"), ("RGB", "png"), ("RGBA", "png")]
MODES += [("CMYK", "tiff"), ("RGB", "bmp"), ("RGB", "ppm"), ("L", "ppm"), ("P", "gif")]


@pytest.mark.parametrize(("mode", "kind"), MODES)
def test_each_mode_becomes_the_rgb_that_pillow_sees(images: Any, mode: str, kind: str) -> None:
    image = Image.fromarray(COLORS).convert(mode)
    pixels = images.decode(encoded(image, kind))
    assert pixels.dtype == np.uint8
    assert np.array_equal(pixels, np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("mode", ["L", "RGB", "YCbCr", "CMYK"])
@pytest.mark.parametrize("options", [{"subsampling": 0}, {"progressive": True}, {"quality": 30}])
def test_a_jpeg_has_the_pixels_that_pillow_sees(images: Any, mode: str, options: Any) -> None:
    noise = RNG.integers(0, 256, (37, 53, 3), dtype=np.uint8)
    data = encoded(Image.fromarray(noise).convert(mode), "jpeg", **options)
    with Image.open(io.BytesIO(data)) as image:
        assert np.array_equal(images.decode(data), np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["jpeg", "png", "tiff", "webp"])
def test_exif_orientation_is_applied(images: Any, kind: str, orientation: int) -> None:
    image = Image.fromarray(RNG.integers(0, 256, (32, 48, 3), dtype=np.uint8))
    data = encoded(image, kind, exif=exif_of(orientation))
    with Image.open(io.BytesIO(data)) as opened:
        expected = np.asarray(ImageOps.exif_transpose(opened).convert("RGB"))
    assert np.array_equal(images.decode(data), expected)


@pytest.mark.parametrize("shape", [(400, 300), (64, 48), (63, 1000), (32, 32)])
def test_a_jpeg_decoded_at_reduced_scale_keeps_its_picture(
    images: Any, shape: tuple[int, int]
) -> None:
    rows, columns = np.mgrid[0 : 1 : shape[0] * 1j, 0 : 1 : shape[1] * 1j]
    picture = np.stack([rows, columns, 1 - rows], axis=2) * 255
    data = encoded(Image.fromarray(picture.astype(np.uint8)), "jpeg", quality=95)
    reduced = images.decode(data, (32, 32))
    assert min(reduced.shape[:2]) >= 32
    assert min(shape) < 64 or min(reduced.shape[:2]) < 64, "it was decoded in full"
    difference = images.fit(reduced, 32, 32).astype(int) - images.fit(images.decode(data), 32, 32)
    assert np.abs(difference).max() <= 6


def test_transparency_is_dropped_and_leaves_the_color(images: Any) -> None:
    alpha = RNG.integers(0, 256, (6, 8, 1), dtype=np.uint8)
    rgba = Image.fromarray(np.concatenate([COLORS, alpha], axis=2))
    assert np.array_equal(images.decode(encoded(rgba, "png")), COLORS)


@pytest.mark.filterwarnings("error")
def test_a_transparent_palette_is_read_without_a_warning(images: Any) -> None:
    image = Image.fromarray(COLORS).convert("P")
    pixels = images.decode(encoded(image, "png", transparency=bytes(range(256))))
    assert np.array_equal(pixels, np.asarray(image.convert("RGB")))


@pytest.mark.parametrize("kind", ["png", "tiff", "ppm"])
@pytest.mark.parametrize("bits", [10, 12, 16])
def test_more_bits_are_refused_until_gray_bits_says_which_are_used(
    images: Any, data_error: Any, monkeypatch: pytest.MonkeyPatch, kind: str, bits: int
) -> None:
    deep = DEEP >> (16 - bits)
    with pytest.raises(data_error, match=f"pixels of 0 to {deep.max()}: .* set GRAY_BITS in"):
        images.decode(encoded(Image.fromarray(deep), kind))
    monkeypatch.setattr(images, "GRAY_BITS", bits)
    pixels = images.decode(encoded(Image.fromarray(deep), kind))
    assert np.array_equal(pixels, np.repeat(deep[:, :, None] >> (bits - 8), 3, axis=2))
    if bits < 16:
        with pytest.raises(data_error, match=f"GRAY_BITS in data/images.py, now {bits}"):
            images.decode(encoded(Image.fromarray(deep * 2), kind))


def test_8_bits_stored_in_16_are_read_as_they_are(images: Any) -> None:
    pixels = images.decode(encoded(Image.fromarray(DEEP >> 8), "png"))
    assert np.array_equal(pixels[:, :, 0], DEEP >> 8)


@pytest.mark.parametrize("values", [DEEP.astype(np.int32) * 2, DEEP.astype(np.float32)])
def test_pixels_of_unknown_range_are_refused(images: Any, data_error: Any, values: Any) -> None:
    with pytest.raises(data_error, match="save it with 8 bits"):
        images.decode(encoded(Image.fromarray(values), "tiff"))


def test_colors_of_16_bits_are_refused(images: Any, data_error: Any) -> None:
    # Pillow writes none: a PNG of one pixel, put together by hand
    head, pixel = struct.pack(">IIBBBBB", 1, 1, 16, 2, 0, 0, 0), b"\0" + bytes(range(6))
    parts = [(b"IHDR", head), (b"IDAT", zlib.compress(pixel)), (b"IEND", b"")]
    data = b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
        for name, body in parts
    )
    with pytest.raises(data_error, match="16 bits per color: save it with 8"):
        images.decode(data)


@pytest.mark.parametrize("kind", ["jpeg", "png", "tiff", "bmp", "ppm", "webp"])
def test_a_truncated_file_is_refused(images: Any, data_error: Any, kind: str) -> None:
    noise = RNG.integers(0, 256, (64, 64, 3), dtype=np.uint8)
    data = encoded(Image.fromarray(noise), kind)
    for length in (len(data) // 8, len(data) // 2, len(data) * 9 // 10):
        with pytest.raises(data_error):
            images.decode(data[:length])


def test_a_huge_image_is_called_too_large_not_corrupt(images: Any, data_error: Any) -> None:
    data = bytearray(encoded(Image.fromarray(COLORS), "jpeg"))
    place = data.index(b"\xff\xc0") + 5  # height and width in the header of the frame
    data[place : place + 4] = (60_000).to_bytes(2, "big") * 2
    with pytest.raises(data_error, match="too large"):
        images.decode(bytes(data))


def test_what_is_no_image_is_refused_by_name(images: Any, data_error: Any, tmp_path: Path) -> None:
    (tmp_path / "empty.png").write_bytes(b"")
    (tmp_path / "text.png").write_bytes(b"class,name\n")
    for name, reason in (
        ("empty.png", "the file is empty"),
        ("text.png", "not an image"),
        ("none.png", "No such file"),
    ):
        with pytest.raises(data_error, match=f"{name}: {reason}"):
            images.read(str(tmp_path / name))


def test_fit_resizes_the_shorter_side_and_keeps_the_center(images: Any) -> None:
    assert images.fit(COLORS, 6, 8) is COLORS
    wide = np.zeros((10, 30, 3), np.uint8)
    wide[:, 10:20] = 200
    assert (images.fit(wide, 10, 10) == 200).all()
    smaller = images.fit(wide, 5, 5)
    assert smaller.shape == (5, 5, 3)
    assert (smaller[:, 1:4] == 200).all(), "the edges are blended"


@pytest.mark.parametrize(("channels", "dtype"), [(1, np.uint8), (4, np.uint8), (4, np.uint16)])
def test_fit_treats_each_channel_alike(images: Any, channels: int, dtype: Any) -> None:
    plane = RNG.integers(0, 200, (12, 20, 1)).astype(dtype)
    fitted = images.fit(np.repeat(plane, channels, axis=2), 6, 6)
    assert fitted.shape == (6, 6, channels)
    assert fitted.dtype == dtype
    assert (fitted == fitted[:, :, :1]).all()


def test_animations_and_new_formats_are_taken_where_pillow_reads_them(images: Any) -> None:
    assert {".gif", ".jfif"} <= set(images.EXTENSIONS)
    assert (".avif" in images.EXTENSIONS) == features.check("avif")
    frames = [Image.fromarray(np.full((4, 4), value, np.uint8)) for value in (10, 200)]
    data = encoded(frames[0], "gif", save_all=True, append_images=frames[1:])
    assert (images.decode(data) == 10).all()


@pytest.fixture
def survey(images: Any, tmp_path: Path) -> Any:
    """A function that chooses the size of images with these pixels."""

    def choose(arrays: list[np.ndarray], **options: Any) -> Any:
        paths = [save(tmp_path / f"{i}.png", a, **options) for i, a in enumerate(arrays)]
        return images.choose_size(lambda index: str(paths[index]), len(paths))

    return choose


def blank(height: int, width: int) -> np.ndarray:
    return np.zeros((height, width, 3), np.uint8)


def test_mixed_sizes_get_the_median_shorter_side_and_a_line(survey: Any, capsys: Any) -> None:
    assert survey([blank(20, 90), blank(50, 30), blank(40, 40)]) == (30, 30)
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    assert "3 different sizes" in said
    assert "30 x 30; --image-size" in said


def test_mixed_sizes_are_at_most_224(survey: Any) -> None:
    assert survey([blank(500, 400), blank(400, 500)]) == (224, 224)


def test_the_images_surveyed_are_spread(
    images: Any, survey: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(images, "SURVEYED", 2)
    assert survey([blank(20, 20), blank(20, 20), blank(30, 30)]) == (25, 25)


def test_sizes_of_unreadable_images_do_not_count(images: Any, survey: Any, tmp_path: Path) -> None:
    survey([blank(30, 50)] * 2)
    (tmp_path / "2.png").write_bytes(b"")
    assert images.choose_size(lambda i: str(tmp_path / f"{i}.png"), 3) == (30, 50)
    assert images.choose_size(lambda i: str(tmp_path / "2.png"), 3) is None
    (tmp_path / "0.png").write_bytes(b"")
    assert images.choose_size(lambda i: str(tmp_path / f"{i}.png"), 3) == (30, 50)
