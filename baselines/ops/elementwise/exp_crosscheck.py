"""exp in PyTorch's own words; integers in float64, as the oracle computes them."""
import torch


def exp(a):
    return torch.exp(a.input if a.input.is_floating_point() else a.input.double())


def diopiExp(a):
    return {"out": exp(a)}


def diopiExpInp(a):
    return {"input": exp(a)}
