"""tanh in PyTorch's own words; integers by a.real (calls.py)."""
import torch


def tanh(a):
    return torch.tanh(a.input if a.input.is_floating_point() else a.real(a.input))


def diopiTanh(a):
    return {"out": tanh(a)}


def diopiTanhInp(a):
    return {"input": tanh(a)}


def diopiTanhBackward(a):
    # The gradient is defined on the forward's stored output, so autograd starts from an input that gives it
    # only approximately: PyTorch's own backward function takes the output itself.
    return {"grad_input": torch.ops.aten.tanh_backward(a.grad_output, a.output)}
