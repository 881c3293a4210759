"""sin in PyTorch's own words; integers by a.real (calls.py)."""
import torch


def sin(a):
    return torch.sin(a.input if a.input.is_floating_point() else a.real(a.input))


def diopiSin(a):
    return {"out": sin(a)}


def diopiSinInp(a):
    return {"input": sin(a)}
