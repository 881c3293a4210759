"""Points in polygons by winding: seen from a point inside, the corners turn once around it."""
import math

import torch

NO_KERNEL = True


def diopiPointsInPolygonsMmcv(a):
    corners = a.polygons.double().reshape(1, -1, 4, 2) - a.points.double()[:, None, None, :]
    seen = torch.view_as_complex(corners.contiguous())
    turns = torch.angle(seen.roll(-1, 2) / seen).sum(2) / (2 * math.pi)
    return {"output": (turns.round().abs() == 1).to(a.polygons.dtype)}
