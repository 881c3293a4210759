"""mmcv's suppression by exact fractions: every pair is compared as shared area against threshold times union."""
from fractions import Fraction

import torch

NO_KERNEL = True


def suppressed(boxes, threshold, offset):
    """A matrix of flags: which pairs of boxes overlap by more than the threshold."""
    low = torch.maximum(boxes[:, None, :2], boxes[None, :, :2])
    high = torch.minimum(boxes[:, None, 2:], boxes[None, :, 2:])
    shared = (high - low + offset).clamp(min=0).prod(2)
    area = (boxes[:, 2:] - boxes[:, :2] + offset).prod(1)
    exact = Fraction(threshold).limit_denominator(1000)
    return shared * exact.denominator > (area[:, None] + area - shared) * exact.numerator


def diopiNmsMmcv(a):
    left = list(torch.argsort(a.scores.double(), descending=True))
    pairs = suppressed(a.dets.double(), float(a.iou_threshold), a.offset)
    kept = []
    while left:
        best, *left = left
        kept.append(int(best))
        left = [i for i in left if not pairs[best, i]]
    return {"out": torch.tensor(kept, dtype=torch.int64)}
