"""Overlaps of turned boxes by GEOS."""
import torch

import shapely_boxes

NO_KERNEL = True


def matrix(a, polygon):
    first, second = ([polygon(row) for row in x.tolist()] for x in (a.bboxes1, a.bboxes2))
    if not a.aligned:
        return {"ious": shapely_boxes.overlaps(first, second, a.mode)}
    return {"ious": torch.cat([shapely_boxes.overlaps([p], [q], a.mode)[0] for p, q in zip(first, second)])}


def diopiBoxIouRotatedMmcv(a):
    return matrix(a, lambda row: shapely_boxes.turned(*row))


def diopiBoxIouQuadriMmcv(a):
    return matrix(a, shapely_boxes.of_corners)


diopiBoxIouRotatedMmcv.not_timed = diopiBoxIouQuadriMmcv.not_timed = "PyTorch has no such operator"
