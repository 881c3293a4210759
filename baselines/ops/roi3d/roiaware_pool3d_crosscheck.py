"""Points sorted into voxels by their numbers; features and gradients by index_reduce and index_add over the list of all points."""
import torch

from boxes_of_points import places

NO_KERNEL = True


def diopiRoiawarePool3dMmcv(a):
    place, inside = places(a.rois, a.pts)
    counts = torch.tensor(a.argmax.shape[1:4])
    which = (place / (a.rois[:, None, 3:6] / counts)).floor().long()
    room, channels = a.pts_idx_of_voxels.shape[4], a.pts_feature.shape[1]
    indices = torch.zeros_like(a.pts_idx_of_voxels)
    pooled, largest = torch.zeros_like(a.pooled_features), torch.zeros_like(a.argmax)
    for box, x, y, z in torch.cartesian_prod(*map(torch.arange, a.argmax.shape[:4])).reshape(-1, 4).tolist():
        here = inside[box] & (which[box] == torch.tensor([x, y, z])).all(1)
        points = here.nonzero()[:, 0][:room - 1]
        indices[box, x, y, z, 0] = len(points)
        indices[box, x, y, z, 1:1 + len(points)] = points
        features = a.pts_feature[points]
        if a.pool_method == 1:
            pooled[box, x, y, z] = features.sum(0) / max(len(points), 1)
        elif len(points):
            most, row = features.max(0)
            pooled[box, x, y, z], largest[box, x, y, z] = most, points[row].int()
        else:
            largest[box, x, y, z] = -1
    return {"argmax": largest, "pts_idx_of_voxels": indices, "pooled_features": pooled}


def diopiRoiawarePool3dBackwardMmcv(a):
    out = torch.zeros_like(a.grad_in)
    grad = a.grad_out.reshape(-1, a.grad_out.shape[4])
    if a.pool_method == 0:
        rows = a.argmax.reshape(grad.shape).long()
        kept = torch.where(rows >= 0, grad, torch.zeros_like(grad))
        return {"grad_in": out.scatter_add(0, rows.clamp(min=0), kept)}
    for row, voxel in zip(grad, a.pts_idx_of_voxels.reshape(len(grad), -1).long()):
        points = voxel[1:1 + voxel[0]]
        out.index_add_(0, points, (row / max(int(voxel[0]), 1)).expand(len(points), -1))
    return {"grad_in": out}


diopiRoiawarePool3dMmcv.not_timed = diopiRoiawarePool3dBackwardMmcv.not_timed = "PyTorch has no such operator"
