"""prroi_pool as two products of matrices: the mean over a cell is linear in the rows and in the columns, each element's
part being an integral of its hat. All gradients, of the regions too, are autograd's."""
import torch

from roi_samples import NOT_TIMED

NO_KERNEL = True


def integral(t):
    """Of the hat around 0, from below up to t."""
    t = t.clamp(-1, 1)
    return torch.where(t < 0, (1 + t) ** 2 / 2, 1 - (1 - t) ** 2 / 2)


def parts(start, end, cells, size):
    edges = start + (end - start) * torch.arange(cells + 1, dtype=torch.float64) / cells
    whole = integral(edges[:, None] - torch.arange(size, dtype=torch.float64))
    return (whole[1:] - whole[:-1]) / ((end - start) / cells)


def pooled(a, images, rois):
    """The means, and the sizes of the regions' cells."""
    cells, sizes = [], []
    for roi in rois:
        image = images[int(roi[0])]
        left, top, right, bottom = (roi[1:] * a.spatial_scale).unbind()
        if right <= left or bottom <= top:
            cells.append(image.new_zeros(image.shape[0], a.pooled_height, a.pooled_width) + 0 * roi.sum())
            sizes.append(torch.ones_like(left))
            continue
        down = parts(top, bottom, a.pooled_height, image.shape[1])
        cells.append(down @ image @ parts(left, right, a.pooled_width, image.shape[2]).T)
        sizes.append((right - left) * (bottom - top))
    return torch.stack(cells), torch.stack(sizes)[:, None, None, None]


def diopiPrroiPoolMmcv(a):
    return {"output": pooled(a, a.input, a.rois)[0]}


def diopiPrroiPoolbackwardMmcv(a):
    images = torch.zeros_like(a.grad_input, requires_grad=True)
    out, _ = pooled(a, images, a.rois)
    return {"grad_input": torch.autograd.grad(out, images, a.grad_output, allow_unused=True)[0]}


def diopiPrroiPoolCoorBackwardMmcv(a):
    rois = a.rois.clone().requires_grad_()
    means, sizes = pooled(a, a.input, rois)
    # The mean by which a larger cell changes its integral is the given one, rounded to float32.
    changes = (means * sizes - a.output * sizes) / sizes.detach()
    return {"grad_rois": torch.autograd.grad(changes, rois, a.grad_output)[0]}


for function in (diopiPrroiPoolMmcv, diopiPrroiPoolbackwardMmcv, diopiPrroiPoolCoorBackwardMmcv):
    function.not_timed = NOT_TIMED
