"""exp in PyTorch's own words; integers in float64, as the oracle computes them."""
import torch


def diopiExp(a):
    return {"out": torch.exp(a.input.double())}


def diopiExpInp(a):
    return {"input": torch.exp(a.input.double())}
