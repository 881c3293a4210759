import torch


def diopiAddmm(a):
    return {"out": torch.addmm(a.input, a.mat1, a.mat2, beta=a.beta, alpha=a.alpha)}
