"""masked_fill in PyTorch's own words."""
import torch


def filled(a):
    return torch.masked_fill(a.input, a.mask, a.value)


def diopiMaskedFill(a):
    return {"out": filled(a)}


def diopiMaskedFillInp(a):
    return {"input": filled(a)}


diopiMaskedFillScalar = diopiMaskedFill
diopiMaskedFillInpScalar = diopiMaskedFillInp
