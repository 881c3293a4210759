import torch

from calls import p_norm, takes_as_float


def diopiLinalgVecNorm(a):
    return {"out": p_norm(a.input, a.ord, a.dim or None, a.keepdim)}


def diopiForeachnormScalar(a):
    if takes_as_float(a.ord):
        return {"outs": torch._foreach_norm(a.inputs, a.ord)}
    return {"outs": [p_norm(x, a.ord) for x in a.inputs]}
