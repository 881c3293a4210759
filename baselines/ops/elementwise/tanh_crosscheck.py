"""tanh in PyTorch's own words."""
import torch


def diopiTanh(a):
    return {"out": torch.tanh(a.input)}


def diopiTanhInp(a):
    return {"input": torch.tanh(a.input)}


def diopiTanhBackward(a):
    # The gradient is defined on the forward's stored output, so autograd starts from an input that gives it
    # only approximately: PyTorch's own backward function takes the output itself.
    return {"grad_input": torch.ops.aten.tanh_backward(a.grad_output, a.output)}
