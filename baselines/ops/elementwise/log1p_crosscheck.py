"""log1p by PyTorch, whose vector library (SLEEF) has it up to 1e307 only."""
import torch


def log1p(a):
    x = a.input if a.input.is_floating_point() else a.real(a.input)
    return torch.where(x > 1e300, torch.log(x), torch.log1p(x)) if x.dtype == torch.float64 else torch.log1p(x)


def diopiLog1p(a):
    return {"out": log1p(a)}


def diopiLog1pInp(a):
    return {"input": log1p(a)}
