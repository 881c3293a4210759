"""pow in PyTorch's own words."""
import torch


def diopiPow(a):
    return {"out": torch.pow(a.input, a.exponent)}


def diopiPowInp(a):
    return {"input": torch.pow(a.input, a.exponent)}


diopiPowTensor = diopiPow
diopiPowScalar = diopiPow
diopiPowInpTensor = diopiPowInp
