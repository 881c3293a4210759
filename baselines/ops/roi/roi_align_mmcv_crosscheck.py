"""roi_align: means by torchvision, the greatest of the samples by hats around rows and columns; gradients are autograd's."""
import torch

from roi_samples import NOT_TIMED, gradient, sampled, stacked, upright

NO_KERNEL = True


def samples(a, images):
    """For each region: the places of its samples, and the values there, [channels, rows, columns, samples]."""
    for roi in a.rois.tolist():
        y, x = upright(roi, a.spatial_scale, a.aligned, (a.aligned_height, a.aligned_width), a.sampling_ratio)
        yield y.flatten(2), x.flatten(2), sampled(images[int(roi[0])], y, x).flatten(3)


def mean(a, images):
    from torchvision.ops import roi_align  # PyTorch is timed without it
    return roi_align(images, a.rois, (a.aligned_height, a.aligned_width), a.spatial_scale, a.sampling_ratio, a.aligned)


def diopiRoiAlignMmcv(a):
    if a.pool_mode == 1:
        empty = a.input.new_zeros(0)
        return {"output": mean(a, a.input), "argmax_y": empty, "argmax_x": empty}
    found = {"output": [], "argmax_y": [], "argmax_x": []}
    for y, x, values in samples(a, a.input):
        most, which = values.max(3, keepdim=True)
        found["output"].append(most[..., 0])
        found["argmax_y"].append(y.expand_as(values).gather(3, which)[..., 0])
        found["argmax_x"].append(x.expand_as(values).gather(3, which)[..., 0])
    return {name: stacked(each, a.input, (a.aligned_height, a.aligned_width)) for name, each in found.items()}


def at_places(a, images):
    cells = []
    for k, roi in enumerate(a.rois.tolist()):
        image = images[int(roi[0])]
        cells.append(torch.cat([sampled(image[c:c + 1], a.argmax_y[k, c], a.argmax_x[k, c])
                                for c in range(image.shape[0])]))
    return stacked(cells, images, (a.aligned_height, a.aligned_width))


def diopiRoiAlignBackwardMmcv(a):
    pooled = mean if a.pool_mode == 1 else at_places
    return {"grad_input": gradient(lambda images: pooled(a, images), a.grad_input.shape, a.grad_output)}


diopiRoiAlignMmcv.not_timed = diopiRoiAlignBackwardMmcv.not_timed = NOT_TIMED
