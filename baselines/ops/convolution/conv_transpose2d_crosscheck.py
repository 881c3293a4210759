import torch


def transposed(a, x, w, b):
    conv = torch.nn.functional.conv_transpose2d if x.dim() == 4 else torch.nn.functional.conv_transpose3d
    return conv(x, w, b, a.stride, a.padding, a.output_padding, a.groups, a.dilation)


def diopiConvTranspose2d(a):
    return {"out": transposed(a, a.input, a.weight, a.bias)}


def diopiConvTranspose2dBackward(a):
    x, w = a.input.clone().requires_grad_(), a.weight.clone().requires_grad_()
    b = torch.zeros(w.shape[1] * a.groups, dtype=w.dtype, requires_grad=True)
    grads = torch.autograd.grad(transposed(a, x, w, b), (x, w, b), a.grad_output)
    return dict(zip(("grad_input", "grad_weight", "grad_bias"), grads))


diopiConvTranspose3d, diopiConvTranspose3dBackward = diopiConvTranspose2d, diopiConvTranspose2dBackward
