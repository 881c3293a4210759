import torch


def diopiStd(a):
    dims = a.dim if a.dim else list(range(a.input.dim()))
    correction = 1 if a.correction is None else int(a.correction)
    keepdim = len(a.shapes["out"]) == a.input.dim()
    return {"out": torch.std(a.input, dims, correction=correction, keepdim=keepdim)}
