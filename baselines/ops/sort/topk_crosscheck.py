import torch


def diopiTopk(a):
    values, indices = torch.topk(a.input, a.k, a.dim, a.largest, sorted=True)
    return {"values": values, "indices": indices}
