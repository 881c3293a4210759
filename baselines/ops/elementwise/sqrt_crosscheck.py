"""sqrt in PyTorch's own words."""
import torch


def diopiSqrt(a):
    return {"out": torch.sqrt(a.input)}


def diopiSqrtInp(a):
    return {"input": torch.sqrt(a.input)}
