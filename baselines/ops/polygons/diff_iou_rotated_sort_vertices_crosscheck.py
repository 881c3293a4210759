"""Vertices sorted by their angles."""
import math

import torch

NO_KERNEL = True


def order(vertices, mask):
    places = [i for i, valid in enumerate(mask) if valid]
    unused = next(i for i in range(8, 24) if not mask[i])
    if len(places) < 3:
        return [unused] * 9
    places.sort(key=lambda i: math.atan2(vertices[i][1], vertices[i][0]) % (2 * math.pi))
    return (places + places[:1] + [unused] * 9)[:9]


def diopiDiffIouRotatedSortVerticesMmcv(a):
    rows = [[order(v, m) for v, m in zip(*each)] for each in zip(a.vertices.tolist(), a.mask.tolist())]
    return {"out": torch.tensor(rows, dtype=torch.int32)}


diopiDiffIouRotatedSortVerticesMmcv.not_timed = "PyTorch has no such operator"
