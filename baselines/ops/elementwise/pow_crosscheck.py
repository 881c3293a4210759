"""pow in PyTorch's own words."""
import torch


def wide(a, value, other):
    """An integer tensor that meets a floating number."""
    integer = isinstance(value, torch.Tensor) and not value.is_floating_point()
    floating = isinstance(other, float) or isinstance(other, torch.Tensor) and other.is_floating_point()
    return a.real(value) if integer and floating else value


def power(a):
    return torch.pow(wide(a, a.input, a.exponent), wide(a, a.exponent, a.input))


def diopiPow(a):
    return {"out": power(a)}


def diopiPowInp(a):
    return {"input": power(a)}


diopiPowTensor = diopiPow
diopiPowScalar = diopiPow
diopiPowInpTensor = diopiPowInp
