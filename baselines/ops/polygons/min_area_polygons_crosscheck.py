"""GEOS's smallest rectangle, its corners put in the function's order."""
import cmath
import math

import torch

NO_KERNEL = True


def corners(points):
    from shapely import geometry  # PyTorch is timed without Shapely
    ring = list(geometry.MultiPoint(points).minimum_rotated_rectangle.exterior.coords)[:4]
    sides = [complex(*ring[(i + 1) % 4]) - complex(*ring[i]) for i in range(4)]
    turn = next(side / abs(side) for side in sides if 0 <= cmath.phase(side) < math.pi / 2)
    turned = [complex(*p) / turn for p in ring]
    low, high = ([f(part) for part in zip(*((z.real, z.imag) for z in turned))] for f in (min, max))
    order = [(high[0], low[1]), (low[0], low[1]), (low[0], high[1]), (high[0], high[1])]
    return [part for p in order for part in ((complex(*p) * turn).real, (complex(*p) * turn).imag)]


def diopiMinAreaPolygonsMmcv(a):
    sets = a.pointsets.reshape(-1, 9, 2).tolist()
    return {"polygons": torch.tensor([corners(points) for points in sets], dtype=torch.float64)}


diopiMinAreaPolygonsMmcv.not_timed = "PyTorch has no such operator"
