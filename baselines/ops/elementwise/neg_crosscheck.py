"""neg in PyTorch's own words."""
import torch


def diopiNeg(a):
    return {"out": torch.neg(a.input)}


def diopiNegInp(a):
    return {"input": torch.neg(a.input)}
