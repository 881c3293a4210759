"""Samples of images as products of matrices: the interpolated image is linear in the hats around its rows and columns."""
import math

import torch


def hats(at, size):
    """The weight of each element of a line at each place, whose border repeats."""
    return (1 - (at.reshape(-1, 1).clamp(0, size - 1) - torch.arange(size, dtype=at.dtype)).abs()).clamp(min=0)


def sampled(image, y, x):
    """image[:, y, x] of places of any shape; farther than one element outside: 0."""
    height, width = image.shape[1:]
    inside = (y >= -1) & (y <= height) & (x >= -1) & (x <= width)
    values = ((hats(y, height) @ image) * hats(x, width)).sum(2).reshape(image.shape[0], *y.shape)
    return torch.where(inside, values, torch.zeros_like(values))


def line(start, length, cells, ratio):
    """Places along one side: [cells, samples of a cell]."""
    count = ratio if ratio > 0 else max(math.ceil(length / cells), 0)
    numbers = torch.arange(cells * count, dtype=torch.float64).reshape(cells, count)
    return start + (numbers + 0.5) * (length / cells / max(count, 1))


def upright(roi, scale, aligned, cells, ratio):
    """The places [rows, columns, samples, samples] of a region's cells."""
    shift, least = (0.5, -math.inf) if aligned else (0.0, 1.0)
    left, top, right, bottom = (v * scale - shift for v in roi[1:])
    ys = line(top, max(bottom - top, least), cells[0], ratio)
    xs = line(left, max(right - left, least), cells[1], ratio)
    return torch.broadcast_tensors(ys[:, None, :, None], xs[None, :, None, :])


def rotated(roi, scale, aligned, at_least_one, clockwise, cells, ratio):
    shift, least = 0.5 if aligned else 0.0, 1.0 if at_least_one else 0.0
    width, height = (max(v * scale, least) for v in roi[3:5])
    ys, xs = line(-height / 2, height, cells[0], ratio), line(-width / 2, width, cells[1], ratio)
    places = torch.complex(*torch.broadcast_tensors(xs[None, :, None, :], ys[:, None, :, None]))
    angle = -roi[5] if clockwise else roi[5]
    # Downwards is positive: a turn against the clock multiplies by the conjugate.
    places = places * torch.polar(torch.tensor(1.0, dtype=torch.float64), torch.tensor(-angle, dtype=torch.float64))
    return places.imag + (roi[2] * scale - shift), places.real + (roi[1] * scale - shift)


def gradient(function, shape, grad):
    """The gradient of a linear function of images."""
    images = torch.zeros(shape, dtype=grad.dtype, requires_grad=True)
    out = function(images)
    return torch.autograd.grad(out, images, grad)[0] if out.requires_grad else torch.zeros(shape, dtype=grad.dtype)


def stacked(results, images, cells):
    return torch.stack(results) if results else images.new_zeros(0, images.shape[1], *cells)


NOT_TIMED = "composed of several calls: PyTorch without torchvision has no such operator"
