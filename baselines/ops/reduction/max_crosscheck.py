import torch


def diopiMax(a):
    values, indices = torch.max(a.input, a.dim)
    return {"max": values, "max_indices": indices}


def diopiMaxAll(a):
    return {"max": torch.max(a.input)}
