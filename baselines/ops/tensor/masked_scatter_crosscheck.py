import torch


def diopiMaskedScatter(a):
    return {"out": torch.masked_scatter(a.input, a.mask, a.source)}
