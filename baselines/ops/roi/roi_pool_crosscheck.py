"""roi_pool by PyTorch's max_pool2d of each cell; the gradient by index_add."""
import math

import torch

from roi_samples import NOT_TIMED, stacked

NO_KERNEL = True


def bounds(low, high, scale, cells, size):
    start, stop = low * scale, (high + 1) * scale
    edges = [start + (stop - start) * k / cells for k in range(cells + 1)]
    return [(min(max(math.floor(p), 0), size), min(max(math.ceil(q), 0), size)) for p, q in zip(edges, edges[1:])]


def cell(image, rows, columns):
    """The largest elements of a window and their numbers in the plane."""
    window = image[:, rows[0]:rows[1], columns[0]:columns[1]]
    if window.numel() == 0:
        return image.new_zeros(image.shape[0]), torch.full((image.shape[0],), -1)
    most, which = torch.nn.functional.max_pool2d(window, window.shape[1:], return_indices=True)
    row, column = which // window.shape[2] + rows[0], which % window.shape[2] + columns[0]
    return most.flatten(), (row * image.shape[2] + column).flatten()


def diopiRoiPoolMmcv(a):
    results = []
    for roi in a.rois.tolist():
        image = a.input[int(roi[0])]
        rows = bounds(roi[2], roi[4], a.spatial_scale, a.pooled_height, image.shape[1])
        columns = bounds(roi[1], roi[3], a.spatial_scale, a.pooled_width, image.shape[2])
        cells = [cell(image, r, c) for r in rows for c in columns]
        results.append([torch.stack(part, 1).reshape(-1, a.pooled_height, a.pooled_width) for part in zip(*cells)])
    shape = (a.pooled_height, a.pooled_width)
    most = stacked([r[0] for r in results], a.input, shape)
    return {"output": most, "argmax": stacked([r[1] for r in results], a.input, shape).to(torch.int32)}


def diopiRoiPoolBackwardMmcv(a):
    grad = torch.zeros_like(a.grad_input).flatten(2)
    for k, image in enumerate(a.rois[:, 0].long().tolist()):
        for channel in range(grad.shape[1]):
            where = a.argmax[k, channel].flatten().long()
            some = where >= 0
            grad[image, channel].index_add_(0, where[some], a.grad_output[k, channel].flatten()[some])
    return {"grad_input": grad.reshape(a.grad_input.shape)}


diopiRoiPoolMmcv.not_timed = diopiRoiPoolBackwardMmcv.not_timed = NOT_TIMED
