"""Overlaps of hulls by GEOS; the derivatives by autograd through areas whose corners GEOS does not know: crossings of sides,
sorted around their middle."""
import math

import torch

NO_KERNEL = True


def polygon(points):
    from shapely import geometry  # PyTorch is timed without Shapely
    return geometry.MultiPoint(points).convex_hull


def diopiConvexIouMmcv(a):
    sets = [polygon(p) for p in a.pointsets.reshape(-1, 9, 2).tolist()]
    others = [polygon(p) for p in a.polygons.reshape(-1, 4, 2).tolist()]
    rows = []
    for s in sets:
        shared = [s.intersection(o).area for o in others]
        rows.append([x / (s.area + o.area - x) for x, o in zip(shared, others)])
    return {"ious": torch.tensor(rows, dtype=torch.float64)}


def cross(a, b):
    return a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]


def area(corners):
    """Of corners in any order around a convex polygon."""
    middle = corners.detach().mean(0)
    angles = [math.atan2(y, x) for x, y in (corners.detach() - middle).tolist()]
    ring = corners[sorted(range(len(angles)), key=angles.__getitem__)] - middle
    return cross(ring, ring.roll(-1, 0)).sum() / 2


def hull(points):
    """The rows of corners: those points that some line separates from all others."""
    apart = points.detach()[None] - points.detach()[:, None]
    on_left = cross(apart[:, :, None], apart[:, None]) < 0  # [at, next, other]
    ends = ~on_left.any(2)
    ends.fill_diagonal_(False)
    return points[ends.any(1)]


def shared(p, q):
    """Crossings of the sides of two convex polygons in order, and corners of each within the other."""
    p, q = in_order(p), in_order(q)
    u, v = p.roll(-1, 0) - p, q.roll(-1, 0) - q
    found = []
    for a, d in zip(p, u):
        for b, e in zip(q, v):
            s, t = cross(b - a, e) / cross(d, e), cross(b - a, d) / cross(d, e)
            if 0 < s < 1 and 0 < t < 1:
                found.append(a + d * s)
    for corners, sides, others in ((p, u, q), (q, v, p)):
        found += [o for o in others if (cross(sides, o - corners) > 0).all()]
    return area(torch.stack(found)) if len(found) > 2 else p.sum() * 0


def in_order(corners):
    middle = corners.detach().mean(0)
    angles = [math.atan2(y, x) for x, y in (corners.detach() - middle).tolist()]
    return corners[sorted(range(len(angles)), key=angles.__getitem__)]


def diopiConvexGiouMmcv(a):
    rows, seen = [], {}
    for one, other in zip(a.pointsets.reshape(-1, 9, 2), a.polygons.reshape(-1, 4, 2)):
        key = (tuple(one.flatten().tolist()), tuple(other.flatten().tolist()))
        if key not in seen:
            points = one.clone().requires_grad_()
            corners = hull(points)
            both = shared(corners, other)
            union = area(corners) + area(other) - both
            whole = area(hull(torch.cat([points, other])))
            giou = both / union - (whole - union) / whole
            seen[key] = torch.cat([torch.autograd.grad(giou, points)[0].flatten(), giou.detach()[None]])
        rows.append(seen[key])
    return {"output": torch.stack(rows)}


diopiConvexIouMmcv.not_timed = diopiConvexGiouMmcv.not_timed = "PyTorch has no such operator"
