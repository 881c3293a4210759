"""exp in PyTorch's own words; integers by a.real (calls.py)."""
import torch


def exp(a):
    return torch.exp(a.input if a.input.is_floating_point() else a.real(a.input))


def diopiExp(a):
    return {"out": exp(a)}


def diopiExpInp(a):
    return {"input": exp(a)}
