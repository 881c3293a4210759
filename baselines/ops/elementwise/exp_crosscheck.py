"""exp in PyTorch's own words."""
import torch


def diopiExp(a):
    return {"out": torch.exp(a.input)}


def diopiExpInp(a):
    return {"input": torch.exp(a.input)}
