import torch


def diopiNonzero(a):
    return {"out": torch.nonzero(a.input)}
