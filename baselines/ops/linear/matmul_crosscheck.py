import torch


def diopiMatmul(a):
    return {"out": torch.matmul(a.input, a.other)}


def diopiMatmulBackward(a):
    x, y = a.input.clone().requires_grad_(), a.other.clone().requires_grad_()
    grad_input, grad_other = torch.autograd.grad(torch.matmul(x, y), (x, y), a.grad_out)
    return {"grad_input": grad_input, "grad_other": grad_other}
