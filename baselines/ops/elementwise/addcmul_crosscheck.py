import torch


def diopiAddcmul(a):
    return {"out": torch.addcmul(a.input, a.tensor1, a.tensor2, value=a.value)}


def diopiAddcmulInp(a):
    return {"input": torch.addcmul(a.input, a.tensor1, a.tensor2, value=a.value)}


def diopiAddcdiv(a):
    return {"out": torch.addcdiv(a.input, a.tensor1, a.tensor2, value=a.value)}


def diopiAddcdivInp(a):
    return {"input": torch.addcdiv(a.input, a.tensor1, a.tensor2, value=a.value)}
