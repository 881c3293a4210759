"""expm1 in PyTorch's own words; integers in float64, as the oracle computes them."""
import torch


def diopiExpm1(a):
    return {"out": torch.expm1(a.input.double())}


def diopiExpm1Inp(a):
    return {"input": torch.expm1(a.input.double())}
