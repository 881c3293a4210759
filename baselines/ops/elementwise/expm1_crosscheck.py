"""expm1 in PyTorch's own words; integers by a.real (calls.py)."""
import torch


def expm1(a):
    return torch.expm1(a.input if a.input.is_floating_point() else a.real(a.input))


def diopiExpm1(a):
    return {"out": expm1(a)}


def diopiExpm1Inp(a):
    return {"input": expm1(a)}
