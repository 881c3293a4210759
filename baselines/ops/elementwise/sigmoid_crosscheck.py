"""sigmoid in PyTorch's own words."""
import torch


def diopiSigmoid(a):
    return {"out": torch.sigmoid(a.input)}


def diopiSigmoidInp(a):
    return {"input": torch.sigmoid(a.input)}


def diopiSigmoidBackward(a):
    # The gradient is defined on the forward's stored output, so autograd starts from an input that gives it
    # only approximately: PyTorch's own backward function takes the output itself.
    return {"grad_input": torch.ops.aten.sigmoid_backward(a.grad_output, a.output)}
