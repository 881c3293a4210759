"""div in PyTorch's own words."""
import torch

MODES = [None, "trunc", "floor"]


def quotient(a):
    mode = MODES[a.rounding_mode]
    return torch.div(a.input if mode or a.input.is_floating_point() else a.real(a.input), a.other, rounding_mode=mode)


def diopiDiv(a):
    return {"out": quotient(a)}


def diopiDivInp(a):
    return {"input": quotient(a)}


diopiDivScalar = diopiDiv
diopiDivInpScalar = diopiDivInp
