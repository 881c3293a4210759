import torch


def diopiLerpTensor(a):
    return {"out": torch.lerp(a.input, a.end, a.weight)}


diopiLerpScalar = diopiLerpTensor
