"""What the taps of deformable convolutions see, as products of matrices, and the convolution as a sum over it."""
import torch


def hats(places, size):
    """The weight of each element of a line at each place: 1 on it, falling to 0 at its neighbours and beyond."""
    return (1 - (places[..., None] - torch.arange(size, dtype=places.dtype)).abs()).clamp(min=0)


def seen(image, offset, kernel, stride, pad, dilation, parts):
    """[images, channels, taps, rows, columns]"""
    images, channels, height, width = image.shape
    rows, columns = offset.shape[2:]
    count = kernel[0] * kernel[1]

    def regular(d, cells):
        first = torch.arange(cells, dtype=image.dtype) * stride[d] - pad[d]
        return torch.arange(kernel[d], dtype=image.dtype)[:, None] * dilation[d] + first

    moved = offset.reshape(images * parts, kernel[0], kernel[1], 2, rows, columns)
    down = regular(0, rows)[None, :, None, :, None] + moved[:, :, :, 0]
    across = regular(1, columns)[None, None, :, None, :] + moved[:, :, :, 1]
    planes = image.reshape(images * parts, channels // parts, height, width)
    by_row = torch.einsum("nqy,ncyx->ncqx", hats(down.flatten(1), height), planes)
    samples = (by_row * hats(across.flatten(1), width)[:, None]).sum(-1)
    return samples.reshape(images, channels, count, rows, columns)


def convolved(image, offset, mask, weight, stride, pad, dilation, groups, parts):
    kernel = weight.shape[2:]
    taps = seen(image, offset, kernel, stride, pad, dilation, parts)
    images, channels, count, rows, columns = taps.shape
    if mask is not None:
        by_part = taps.reshape(images, parts, channels // parts, count, rows, columns)
        taps = (by_part * mask.reshape(images, parts, 1, count, rows, columns)).reshape(taps.shape)
    filters = weight.reshape(groups, -1, channels // groups, count)
    out = torch.einsum("gfct,ngctyx->ngfyx", filters, taps.reshape(images, groups, -1, count, rows, columns))
    return out.flatten(1, 2)
