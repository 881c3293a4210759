"""rotated_feature_align by hats around rows and columns and complex corners; gradients are autograd's."""
import torch

from roi_samples import NOT_TIMED, gradient, sampled

NO_KERNEL = True


def refined(a, features):
    row, column, width, height = (a.best_bboxes[..., k] * a.spatial_scale for k in range(4))
    center = torch.complex(column, row)
    turn = torch.polar(torch.ones_like(row), a.best_bboxes[..., 4])
    points = [center]
    if a.points == 5:
        points += [center + turn * torch.complex(x * width / 2, y * height / 2) for x in (1, -1) for y in (1, -1)]
    added = [torch.stack([sampled(image, p.imag[k], p.real[k]) for k, image in enumerate(features)]) for p in points]
    return features + sum(added)


def diopiRotatedFeatureAlignMmcv(a):
    return {"output": refined(a, a.features)}


def diopiRotatedFeatureAlignBackwardMmcv(a):
    return {"bottom_grad": gradient(lambda features: refined(a, features), a.bottom_grad.shape, a.top_grad)}


diopiRotatedFeatureAlignMmcv.not_timed = diopiRotatedFeatureAlignBackwardMmcv.not_timed = NOT_TIMED
