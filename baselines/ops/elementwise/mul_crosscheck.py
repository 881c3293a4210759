"""mul in PyTorch's own words."""
import torch


def diopiMul(a):
    return {"out": torch.mul(a.input, a.other)}


def diopiMulInp(a):
    return {"input": torch.mul(a.input, a.other)}


diopiMulScalar = diopiMul
diopiMulInpScalar = diopiMulInp
