"""Changes to a training batch of images as a whole, on its device.

Images come as (B, H, W, C) uint8 and leave as float32, 0 to 255; targets as class numbers (B,) and,
once mixed, as the share of each class (B, classes) float32; or as real numbers (B, ...).

What is drawn follows from torch's generator, which each step seeds; what is drawn on the CPU makes
no step wait for the device.
"""

import math

import torch
import torch.nn.functional as F

from ..base.errors import FlagError
from .settings import Regularization

AREA, ASPECT = (0.02, 0.33), (0.3, 3.3)  # of what is erased: share of the image, height to width

Batch = tuple[torch.Tensor, torch.Tensor]


def change(
    images: torch.Tensor, targets: torch.Tensor, settings: Regularization, classes: int
) -> Batch:
    """Colors first, then boxes of noise, then images of two samples in one."""
    if settings.color:
        images = vary_color(images.float(), settings.color)
    if settings.erasing:
        images = erase(images, settings.erasing)
    if settings.mixup and settings.cutmix:  # one of them for each batch
        mixes = bool(torch.rand(()) < 0.5)
    else:
        mixes = bool(settings.mixup)
    if mixes:
        return mix_up(images, targets, classes, drawn_share(settings.mixup))
    if settings.cutmix:
        return cut_mix(images, targets, classes, drawn_share(settings.cutmix))
    return images, targets


def drawn_share(alpha: float) -> float:
    """A number between 0 and 1 from the Beta distribution with both its parameters `alpha`."""
    first, second = torch._standard_gamma(torch.full((2,), alpha, dtype=torch.float64)).tolist()
    return first / (first + second) if first + second else 0.5


def mix_up(images: torch.Tensor, targets: torch.Tensor, classes: int, share: float) -> Batch:
    """Each image with another one, `share` of it its own (Zhang et al.: mixup, 2018)."""
    order = torch.randperm(len(images)).to(images.device)
    images = images.float()
    return share * images + (1 - share) * images[order], shares(targets, order, classes, share)


def cut_mix(images: torch.Tensor, targets: torch.Tensor, classes: int, share: float) -> Batch:
    """Each image with a box of another one (Yun et al.: CutMix, 2019).

    `share` of it stays its own, or more where the box reaches beyond the image.
    """
    order = torch.randperm(len(images)).to(images.device)
    height, width = images.shape[1:3]
    part = math.sqrt(1 - share)
    rows = span(height, round(part * height))
    columns = span(width, round(part * width))
    mixed = images.clone()
    mixed[:, rows, columns] = images[order][:, rows, columns]
    pasted = (rows.stop - rows.start) * (columns.stop - columns.start)
    return mixed, shares(targets, order, classes, 1 - pasted / (height * width))


def span(size: int, length: int) -> slice:
    """A stretch of that length around a random place of 0 .. size - 1, cut off at the ends."""
    start = int(torch.randint(size, ())) - length // 2
    return slice(max(start, 0), min(start + length, size))


def shares(targets: torch.Tensor, order: torch.Tensor, classes: int, share: float) -> torch.Tensor:
    """The share of each class in images of two, (B, classes); real numbers are mixed as such."""
    if targets.ndim == 1 and not targets.is_floating_point():
        targets = F.one_hot(targets, classes).float()
    if not targets.is_floating_point():
        raise FlagError("--mixup and --cutmix need targets that are class numbers or real numbers")
    return share * targets + (1 - share) * targets[order]


def erase(images: torch.Tensor, probability: float) -> torch.Tensor:
    """Fill a box of some of the images with noise (Zhong et al.: Random Erasing, 2017)."""
    count, height, width, _ = images.shape
    chosen, area, aspect, top, left = torch.rand(5, count).to(images.device)
    pixels = (AREA[0] + (AREA[1] - AREA[0]) * area) * height * width
    ratio = torch.exp(math.log(ASPECT[0]) + math.log(ASPECT[1] / ASPECT[0]) * aspect)
    tall = (pixels * ratio).sqrt().round().clamp(1, height)
    wide = (pixels / ratio).sqrt().round().clamp(1, width)
    first_row, first_column = (
        (top * (height - tall + 1)).floor(),
        (left * (width - wide + 1)).floor(),
    )
    rows = torch.arange(height, device=images.device)
    columns = torch.arange(width, device=images.device)
    in_rows = (rows >= first_row[:, None]) & (rows < (first_row + tall)[:, None])  # (B, H)
    in_columns = (columns >= first_column[:, None]) & (columns < (first_column + wide)[:, None])
    box = in_rows[:, :, None] & in_columns[:, None] & (chosen < probability)[:, None, None]
    noise = torch.randint(0, 256, images.shape, device=images.device).to(images.dtype)
    return torch.where(box[..., None], noise, images)


def vary_color(images: torch.Tensor, strength: float) -> torch.Tensor:
    """Change brightness, contrast and, of three channels, saturation of each image (B, H, W, C)."""
    factors = 1 + strength * (2 * torch.rand(3, len(images), 1, 1, 1) - 1)
    brightness, contrast, saturation = factors.to(images.device)
    images = images * brightness
    images = around(images, gray(images).mean(dim=(1, 2, 3), keepdim=True), contrast)
    if images.shape[-1] == 3:
        images = around(images, gray(images), saturation)
    return images.clamp(0, 255)


def around(images: torch.Tensor, center: torch.Tensor, factor: torch.Tensor) -> torch.Tensor:
    """Multiply the distance from a center."""
    return center + (images - center) * factor


def gray(images: torch.Tensor) -> torch.Tensor:
    """The brightness that people see, (B, H, W, 1), by the weights of ITU-R BT.601."""
    if images.shape[-1] != 3:
        return images.mean(dim=-1, keepdim=True)
    weights = torch.tensor([0.299, 0.587, 0.114]).to(images.device)
    return (images * weights).sum(dim=-1, keepdim=True)
