import torch


def diopiAmax(a):
    return {"out": torch.amax(a.self, a.dim, keepdim=a.keepdim)}
