import torch


def diopiForeachaddScalar(a):
    return {"outs": torch._foreach_add(a.inputs, a.other)}


def diopiForeachaddInpScalar(a):
    return {"inputs": torch._foreach_add(a.inputs, a.other)}


def diopiForeachmulScalar(a):
    return {"outs": torch._foreach_mul(a.inputs, a.other)}


def diopiForeachmulInpScalar(a):
    return {"inputs": torch._foreach_mul(a.inputs, a.other)}


def products(a):
    """PyTorch 1.13 has no list function that takes a tensor."""
    return [torch.mul(tensor, a.other) for tensor in a.inputs]


def diopiForeachmulTensor(a):
    return {"outs": products(a)}


def diopiForeachmulInpTensor(a):
    return {"inputs": products(a)}
