"""sign, isnan, logical_not and bitwise_not by PyTorch."""
import torch


def diopiSign(a):
    return {"out": torch.sign(a.input)}


def diopiIsNan(a):
    return {"out": torch.isnan(a.input)}


def diopiLogicalNot(a):
    return {"out": torch.logical_not(a.input)}


def diopiLogicalNotInp(a):
    return {"input": torch.logical_not(a.input).to(a.input.dtype)}


def diopiBitwiseNot(a):
    return {"out": torch.bitwise_not(a.input)}


def diopiBitwiseNotInp(a):
    return {"input": torch.bitwise_not(a.input)}
