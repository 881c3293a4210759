"""div in PyTorch's own words."""
import torch

MODES = [None, "trunc", "floor"]


def quotient(a):
    return torch.div(a.input, a.other, rounding_mode=MODES[a.rounding_mode])


def diopiDiv(a):
    return {"out": quotient(a)}


def diopiDivInp(a):
    return {"input": quotient(a)}


diopiDivScalar = diopiDiv
diopiDivInpScalar = diopiDivInp
