import torch


def fill(a):
    return torch.index_fill(a.input, a.dim, a.index, a.value)


def diopiIndexFill(a):
    return {"out": fill(a)}


def diopiIndexFillInp(a):
    return {"input": fill(a)}


def diopiIndexFillScalar(a):
    return {"out": fill(a)}


def diopiIndexFillInpScalar(a):
    return {"input": fill(a)}
