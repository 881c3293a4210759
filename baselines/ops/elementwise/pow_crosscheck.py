"""pow in PyTorch's own words."""
import torch


def wide(value, other):
    """An integer tensor meets a floating number: in float64, as the oracle computes it."""
    integer = isinstance(value, torch.Tensor) and not value.is_floating_point()
    floating = isinstance(other, float) or isinstance(other, torch.Tensor) and other.is_floating_point()
    return value.double() if integer and floating else value


def power(a):
    return torch.pow(wide(a.input, a.exponent), wide(a.exponent, a.input))


def diopiPow(a):
    return {"out": power(a)}


def diopiPowInp(a):
    return {"input": power(a)}


diopiPowTensor = diopiPow
diopiPowScalar = diopiPow
diopiPowInpTensor = diopiPowInp
