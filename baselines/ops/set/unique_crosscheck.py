import torch


def diopiUnique(a):
    out, inverse, counts = torch.unique(a.input, sorted=True, return_inverse=True, return_counts=True, dim=a.dim)
    return {"out": out, "indices": inverse, "counts": counts}
