"""roi_align without torchvision, as two products of matrices: a region's cells are linear in the rows and in the
columns of its image. Gradients are autograd's. 16-bit tensors are computed in float32."""
import math

import torch


def samples(start, length, cells, ratio):
    """Positions of the samples along one side, cell by cell."""
    count = ratio if ratio > 0 else max(math.ceil(length / cells), 0)
    step = length / cells
    return [start + cell * step + (i + 0.5) * step / count for cell in range(cells) for i in range(count)]


def weights(positions, cells, size, dtype):
    """The part of each element of a line in each cell: the mean of its samples' hats, in float64 and then rounded."""
    at = torch.tensor(positions, dtype=torch.float64)
    hats = (1 - (at.clamp(0, size - 1)[:, None] - torch.arange(size)).abs()).clamp(min=0)
    hats[(at < -1) | (at > size)] = 0
    return hats.reshape(cells, -1, size).mean(1).to(dtype)


def between(positions, size, dtype):
    """Of each sample on a line: the elements before and after it, the part of the second, and whether it lies inside."""
    at = torch.tensor(positions, dtype=torch.float64)
    inside = (at >= -1) & (at <= size)
    at = at.clamp(0, size - 1)
    low = at.floor().long()
    return low, (low + 1).clamp(max=size - 1), (at - low).to(dtype), inside


def sampled(image, ys, xs, cells):
    """The means of samples taken one by one, where a weight of 0 makes NaN of a number that is not finite."""
    top, bottom, down, inside = between(ys, image.shape[1], image.dtype)
    left, right, across, in_line = between(xs, image.shape[2], image.dtype)
    down, inside = down[:, None], inside[:, None] & in_line
    values = ((1 - down) * (1 - across) * image[:, top][:, :, left] + (1 - down) * across * image[:, top][:, :, right] +
              down * (1 - across) * image[:, bottom][:, :, left] + down * across * image[:, bottom][:, :, right])
    values = torch.where(inside, values, torch.zeros_like(values))
    return values.reshape(-1, cells[0], len(ys) // cells[0], cells[1], len(xs) // cells[1]).mean((2, 4))


def pooled(a, images):
    cells = []
    for roi in a.rois.double().tolist():
        shift = 0.5 if a.aligned else 0.0
        left, top, right, bottom = (v * a.spatial_scale - shift for v in roi[1:])
        least = -math.inf if a.aligned else 1.0
        ys = samples(top, max(bottom - top, least), a.pooled_height, a.sampling_ratio)
        xs = samples(left, max(right - left, least), a.pooled_width, a.sampling_ratio)
        image = images[int(roi[0])]
        if not torch.isfinite(image).all():
            cells.append(sampled(image, ys, xs, (a.pooled_height, a.pooled_width)))
            continue
        down = weights(ys, a.pooled_height, images.shape[2], images.dtype)
        across = weights(xs, a.pooled_width, images.shape[3], images.dtype)
        cells.append(down @ image @ across.T)
    return torch.stack(cells) if cells else images.new_zeros(0, images.shape[1], a.pooled_height, a.pooled_width)


def wide(tensor):
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def diopiRoiAlign(a):
    return {"out": pooled(a, wide(a.input))}


def diopiRoiAlignBackward(a):
    images = torch.zeros(a.batch_size, a.channels, a.height, a.width, dtype=wide(a.grad).dtype, requires_grad=True)
    out = pooled(a, images)
    if not out.requires_grad:
        return {"out": torch.zeros_like(images)}
    return {"out": torch.autograd.grad(out, images, wide(a.grad))[0]}


diopiRoiAlign.not_timed = diopiRoiAlignBackward.not_timed = "PyTorch without torchvision has no such operator"
