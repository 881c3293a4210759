"""cos in PyTorch's own words; integers in float64, as the oracle computes them."""
import torch


def cos(a):
    return torch.cos(a.input if a.input.is_floating_point() else a.input.double())


def diopiCos(a):
    return {"out": cos(a)}


def diopiCosInp(a):
    return {"input": cos(a)}
