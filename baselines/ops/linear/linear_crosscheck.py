import torch


def diopiLinear(a):
    return {"out": torch.nn.functional.linear(a.input, a.weight, a.bias)}


def diopiLinearBackward(a):
    x, w = a.input.clone().requires_grad_(), a.weight.clone().requires_grad_()
    b = torch.zeros(w.shape[0], dtype=w.dtype, requires_grad=True)
    grads = torch.autograd.grad(torch.nn.functional.linear(x, w, b), (x, w, b), a.grad_output)
    return dict(zip(("grad_input", "grad_weight", "grad_bias"), grads))
