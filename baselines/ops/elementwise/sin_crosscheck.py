"""sin in PyTorch's own words; integers in float64, as the oracle computes them."""
import torch


def diopiSin(a):
    return {"out": torch.sin(a.input.double())}


def diopiSinInp(a):
    return {"input": torch.sin(a.input.double())}
