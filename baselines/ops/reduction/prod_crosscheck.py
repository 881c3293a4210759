import torch


def diopiProd(a):
    return {"out": torch.prod(a.input) if a.dim is None else torch.prod(a.input, a.dim)}
