"""cos in PyTorch's own words; integers by a.real (calls.py)."""
import torch


def cos(a):
    return torch.cos(a.input if a.input.is_floating_point() else a.real(a.input))


def diopiCos(a):
    return {"out": cos(a)}


def diopiCosInp(a):
    return {"input": cos(a)}
