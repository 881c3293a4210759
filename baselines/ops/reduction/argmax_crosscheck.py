import torch


def diopiArgmax(a):
    x = a.input.to(torch.uint8) if a.input.dtype == torch.bool else a.input
    return {"out": torch.argmax(x) if a.dim is None else torch.argmax(x, a.dim, a.keepdim)}
