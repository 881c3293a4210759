import torch


def diopiIndexSelect(a):
    return {"out": torch.index_select(a.input, a.dim, a.index)}


def diopiIndexSelectBackward(a):
    zeros = torch.zeros(a.input_sizes, dtype=a.grad.dtype)
    return {"grad_input": zeros.index_add(a.dim, a.index, a.grad)}
