import torch


def scatter(a, source):
    reduce = {} if not a.reduce else {"reduce": a.reduce}
    return torch.scatter(a.input, a.dim, a.index.long(), source, **reduce)


def diopiScatter(a):
    return {"out": scatter(a, a.src)}


def diopiScatterInp(a):
    return {"input": scatter(a, a.src)}


def diopiScatterScalar(a):
    return {"out": scatter(a, a.value)}


def diopiScatterInpScalar(a):
    return {"input": scatter(a, a.value)}
