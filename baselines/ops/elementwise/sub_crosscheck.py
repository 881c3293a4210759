"""sub in PyTorch's own words."""
import torch


def diopiSub(a):
    return {"out": torch.sub(a.input, a.other, alpha=a.alpha)}


def diopiSubInp(a):
    return {"input": torch.sub(a.input, a.other, alpha=a.alpha)}


diopiSubScalar = diopiSub
diopiSubInpScalar = diopiSubInp
