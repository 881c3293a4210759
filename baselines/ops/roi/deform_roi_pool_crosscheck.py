"""deform_roi_pool by hats around rows and columns; gradients, also of the offsets, are autograd's."""
import torch

from roi_samples import NOT_TIMED, sampled, stacked, upright

NO_KERNEL = True


def pooled(a, images, offset):
    cells = []
    for k, roi in enumerate(a.rois.tolist()):
        y, x = upright(roi, a.spatial_scale, True, (a.pooled_height, a.pooled_width), a.sampling_ratio)
        if offset.numel():
            width, height = ((roi[n + 2] - roi[n]) * a.spatial_scale * a.gamma for n in (1, 2))
            x, y = x + width * offset[k, 0, :, :, None, None], y + height * offset[k, 1, :, :, None, None]
        cells.append(sampled(images[int(roi[0])], y, x).flatten(3).mean(3))
    return stacked(cells, images, (a.pooled_height, a.pooled_width))


def diopiDeformRoiPoolMmcv(a):
    return {"output": pooled(a, a.input, a.offset)}


def diopiDeformRoiPoolBackwardMmcv(a):
    images, offset = a.input.clone().requires_grad_(), a.offset.clone().requires_grad_()
    grads = torch.autograd.grad(pooled(a, images, offset), [images, offset], a.grad_output, allow_unused=True)
    return {"grad_input": grads[0], "grad_offset": torch.zeros_like(a.offset) if grads[1] is None else grads[1]}


diopiDeformRoiPoolMmcv.not_timed = diopiDeformRoiPoolBackwardMmcv.not_timed = NOT_TIMED
