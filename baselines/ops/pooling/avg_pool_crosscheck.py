"""avg_pool1d, avg_pool2d and avg_pool3d by PyTorch."""
import torch
from torch.nn import functional


def avg_pool(call, a, x):
    divisor = [] if call is functional.avg_pool1d else [a.divisor_override]  # lines have none
    return call(x, a.kernel_size, a.stride or None, a.padding, a.ceil_mode, a.count_include_pad, *divisor)


def gradient(call, a):
    x = a.input.clone().requires_grad_()
    return {"grad_input": torch.autograd.grad(avg_pool(call, a, x), x, a.grad_output)[0]}


def diopiAvgPool1d(a):
    return {"out": avg_pool(functional.avg_pool1d, a, a.input)}


def diopiAvgPool1dBackward(a):
    return gradient(functional.avg_pool1d, a)


def diopiAvgPool2d(a):
    return {"out": avg_pool(functional.avg_pool2d, a, a.input)}


def diopiAvgPool2dBackward(a):
    return gradient(functional.avg_pool2d, a)


def diopiAvgPool3d(a):
    return {"out": avg_pool(functional.avg_pool3d, a, a.input)}


def diopiAvgPool3dBackward(a):
    return gradient(functional.avg_pool3d, a)
