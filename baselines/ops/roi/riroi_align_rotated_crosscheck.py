"""riroi_align_rotated by hats around rows and columns and rolled orientations; gradients are autograd's."""
import math

from roi_samples import NOT_TIMED, gradient, rotated, sampled, stacked

NO_KERNEL = True


def pooled(a, images):
    cells = (a.pooled_height, a.pooled_width)
    results = []
    for roi in a.rois.tolist():
        y, x = rotated(roi, a.spatial_scale, False, True, a.clockwise, cells, a.num_samples)
        upright = sampled(images[int(roi[0])], y, x).mean((3, 4)).unflatten(0, (-1, a.num_orientations))
        turn = roi[5] * a.num_orientations / (2 * math.pi)
        whole = math.floor(turn)
        part = turn - whole
        turned = (1 - part) * upright.roll(whole, 1) + part * upright.roll(whole - 1, 1)
        results.append(turned.flatten(0, 1))
    return stacked(results, images, cells)


def diopiRiroiAlignRotatedMmcv(a):
    return {"output": pooled(a, a.features)}


def diopiRiroiAlignRotatedBackwardMmcv(a):
    return {"bottom_grad": gradient(lambda images: pooled(a, images), a.bottom_grad.shape, a.top_grad)}


diopiRiroiAlignRotatedMmcv.not_timed = diopiRiroiAlignRotatedBackwardMmcv.not_timed = NOT_TIMED
