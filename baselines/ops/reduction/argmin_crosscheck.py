import torch


def diopiArgmin(a):
    x = a.input.to(torch.uint8) if a.input.dtype == torch.bool else a.input
    return {"out": torch.argmin(x, dim=a.dim, keepdim=a.keepdim)}
