"""roi_align_rotated by hats around rows and columns and a complex rotation; gradients are autograd's."""
from roi_samples import NOT_TIMED, gradient, rotated, sampled, stacked

NO_KERNEL = True


def pooled(a, images):
    cells = (a.aligned_height, a.aligned_width)
    results = []
    for roi in a.rois.tolist():
        y, x = rotated(roi, a.spatial_scale, a.aligned, not a.aligned, a.clockwise, cells, a.sampling_ratio)
        results.append(sampled(images[int(roi[0])], y, x).mean((3, 4)))
    return stacked(results, images, cells)


def diopiRoiAlignRotatedMmcv(a):
    return {"output": pooled(a, a.input)}


def diopiRoiAlignRotatedBackwardMmcv(a):
    return {"bottom_grad": gradient(lambda images: pooled(a, images), a.bottom_grad.shape, a.top_grad)}


diopiRoiAlignRotatedMmcv.not_timed = diopiRoiAlignRotatedBackwardMmcv.not_timed = NOT_TIMED
