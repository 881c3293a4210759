"""sin in PyTorch's own words; integers in float64, as the oracle computes them."""
import torch


def sin(a):
    return torch.sin(a.input if a.input.is_floating_point() else a.input.double())


def diopiSin(a):
    return {"out": sin(a)}


def diopiSinInp(a):
    return {"input": sin(a)}
