import torch


def diopiSort(a):
    values, indices = torch.sort(a.input, dim=a.dim, descending=a.descending, stable=True)
    return {"values": values, "indices": indices}


def diopiSortBackward(a):
    zeros = torch.zeros(a.sizes, dtype=a.grad_output.dtype)
    return {"grad_input": zeros.scatter(a.dim, a.indices, a.grad_output) if a.sizes else a.grad_output}
