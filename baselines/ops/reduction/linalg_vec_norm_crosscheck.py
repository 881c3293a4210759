import torch


def diopiLinalgVecNorm(a):
    return {"out": torch.linalg.vector_norm(a.input, a.ord, a.dim if a.dim else None, a.keepdim)}


def diopiForeachnormScalar(a):
    return {"outs": torch._foreach_norm(a.inputs, a.ord)}
