"""cos in PyTorch's own words; integers in float64, as the oracle computes them."""
import torch


def diopiCos(a):
    return {"out": torch.cos(a.input.double())}


def diopiCosInp(a):
    return {"input": torch.cos(a.input.double())}
