import torch


def diopiMin(a):
    values, indices = torch.min(a.input, a.dim)
    return {"min": values, "min_indices": indices}


def diopiMinAll(a):
    return {"min": torch.min(a.input)}
