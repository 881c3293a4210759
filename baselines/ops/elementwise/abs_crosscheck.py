"""abs in PyTorch's own words."""
import torch


def diopiAbs(a):
    return {"out": torch.abs(a.input)}


def diopiAbsInp(a):
    return {"input": torch.abs(a.input)}
