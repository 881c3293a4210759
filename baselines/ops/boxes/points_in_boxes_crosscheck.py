"""Points in turned boxes: a point is weighed against the two vectors along a box's sides, by complex multiplication."""
import torch

NO_KERNEL = True


def held(a):
    boxes, points = a.boxes.double(), a.pts.double()
    place = torch.view_as_complex((points[:, :, None, :2] - boxes[:, None, :, :2]).contiguous())
    turned = torch.view_as_real(place * torch.polar(torch.ones_like(boxes[..., 6]), -boxes[..., 6])[:, None])
    beside = (turned.abs() < boxes[:, None, :, 3:5] / 2).all(3)
    height = points[:, :, None, 2] - boxes[:, None, :, 2]
    return beside & (height >= 0) & (height <= boxes[:, None, :, 5])


def diopiPointsInBoxesPartMmcv(a):
    flags = held(a)
    first = torch.where(flags.any(2), flags.int().argmax(2), -1)
    return {"box_idx_of_points": first.to(torch.int32)}


def diopiPointsInBoxesAllMmcv(a):
    return {"box_idx_of_points": held(a).to(torch.int32)}
