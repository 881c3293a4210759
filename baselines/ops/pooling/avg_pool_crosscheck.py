"""avg_pool1d and avg_pool3d by PyTorch."""
import torch


def avg_pool1d(a, x):
    return torch.nn.functional.avg_pool1d(x, a.kernel_size, a.stride or None, a.padding, a.ceil_mode,
                                          a.count_include_pad)


def diopiAvgPool1d(a):
    return {"out": avg_pool1d(a, a.input)}


def diopiAvgPool1dBackward(a):
    x = a.input.clone().requires_grad_()
    return {"grad_input": torch.autograd.grad(avg_pool1d(a, x), x, a.grad_output)[0]}


def avg_pool3d(a, x):
    return torch.nn.functional.avg_pool3d(x, a.kernel_size, a.stride or None, a.padding, a.ceil_mode,
                                          a.count_include_pad, a.divisor_override)


def diopiAvgPool3d(a):
    return {"out": avg_pool3d(a, a.input)}


def diopiAvgPool3dBackward(a):
    x = a.input.clone().requires_grad_()
    return {"grad_input": torch.autograd.grad(avg_pool3d(a, x), x, a.grad_output)[0]}
