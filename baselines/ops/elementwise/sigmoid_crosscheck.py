"""sigmoid in PyTorch's own words; integers by a.real (calls.py)."""
import torch


def sigmoid(a):
    return torch.sigmoid(a.input if a.input.is_floating_point() else a.real(a.input))


def diopiSigmoid(a):
    return {"out": sigmoid(a)}


def diopiSigmoidInp(a):
    return {"input": sigmoid(a)}


def diopiSigmoidBackward(a):
    # The gradient is defined on the forward's stored output, so autograd starts from an input that gives it
    # only approximately: PyTorch's own backward function takes the output itself.
    return {"grad_input": torch.ops.aten.sigmoid_backward(a.grad_output, a.output)}
