import torch


def resize(x, size, mode, align_corners=None):
    return torch.nn.functional.interpolate(x, size=tuple(size), mode=mode, align_corners=align_corners)


def diopiUpsampleNearest(a):
    return {"out": resize(a.input, a.size, "nearest")}


def diopiUpsampleNearestBackward(a):
    x = torch.zeros(a.in_size, dtype=a.grad_output.dtype, requires_grad=True)
    return {"grad_input": torch.autograd.grad(resize(x, a.out_size, "nearest"), x, a.grad_output)[0]}


def diopiUpsampleLinear(a):
    return {"out": resize(a.input, a.size, a.mode, a.align_corners)}


def diopiUpsampleLinearBackward(a):
    x = torch.zeros(a.in_size, dtype=a.grad_output.dtype, requires_grad=True)
    out = resize(x, a.out_size, a.mode, a.align_corners)
    return {"grad_input": torch.autograd.grad(out, x, a.grad_output)[0]}
