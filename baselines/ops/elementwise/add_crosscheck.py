"""add in PyTorch's own words."""
import torch


def diopiAdd(a):
    return {"out": torch.add(a.input, a.other, alpha=a.alpha)}


def diopiAddInp(a):
    return {"input": torch.add(a.input, a.other, alpha=a.alpha)}


diopiAddScalar = diopiAdd
diopiAddInpScalar = diopiAddInp
