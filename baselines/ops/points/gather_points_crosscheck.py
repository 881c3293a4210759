"""torch.gather along the points; gradients as products with the one-hot matrix of the indices."""
import torch


def gathered(points, idx):
    flat = idx.long().flatten(1)
    return points.gather(2, flat[:, None].expand(-1, points.shape[1], -1)).reshape(*points.shape[:2], *idx.shape[1:])


def gradient(grad, idx, n):
    chosen = torch.nn.functional.one_hot(idx.long().flatten(1), n).to(grad.dtype)
    return grad.flatten(2) @ chosen


def diopiGatherPointsMmcv(a):
    return {"out": gathered(a.points, a.idx)}


def diopiGatherPointsBackwardMmcv(a):
    return {"grad_points": gradient(a.grad_out, a.idx, a.n)}


diopiGroupPointsMmcv, diopiGroupPointsBackwardMmcv = diopiGatherPointsMmcv, diopiGatherPointsBackwardMmcv
for function in (diopiGatherPointsMmcv, diopiGatherPointsBackwardMmcv):
    function.not_timed = "PyTorch has no single call for indices that all channels share"
