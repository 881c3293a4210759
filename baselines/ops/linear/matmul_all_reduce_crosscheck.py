import torch

NO_KERNEL = True


def diopiMatmulAllReduce(a):
    out = torch.einsum("...k,kn->...n", a.x1, a.x2)
    return {"out": out if a.bias is None else out + a.bias}
