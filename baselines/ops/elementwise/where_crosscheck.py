"""where in PyTorch's own words."""
import torch


def diopiWhere(a):
    return {"out": torch.where(a.condition.bool(), a.input, a.other)}
