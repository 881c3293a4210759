import torch


def diopiBmm(a):
    return {"out": torch.bmm(a.input, a.mat2)}


def diopiMm(a):
    return {"out": torch.mm(a.input, a.mat2)}
