"""adaptive_avg_pool and adaptive_max_pool by PyTorch; a line is an image of one row to it."""
import torch
from torch.nn import functional


def average_gradient(call, a, dims):
    x = a.input.clone().requires_grad_()
    out = call(x, tuple(a.grad_output.shape[-dims:]))
    return {"grad_input": torch.autograd.grad(out, x, a.grad_output)[0]}


def diopiAdaptiveAvgPool1d(a):
    return {"out": functional.adaptive_avg_pool1d(a.input, a.output_size)}


def diopiAdaptiveAvgPool1dBackward(a):
    return average_gradient(functional.adaptive_avg_pool1d, a, 1)


def diopiAdaptiveAvgPool2d(a):
    return {"out": functional.adaptive_avg_pool2d(a.input, a.output_size)}


def diopiAdaptiveAvgPool2dBackward(a):
    return average_gradient(functional.adaptive_avg_pool2d, a, 2)


def diopiAdaptiveAvgPool3d(a):
    return {"out": functional.adaptive_avg_pool3d(a.input, a.output_size)}


def diopiAdaptiveAvgPool3dBackward(a):
    return average_gradient(functional.adaptive_avg_pool3d, a, 3)


def greatest(call, a):
    out, indices = call(a.input, a.output_size, return_indices=True)
    return {"out": out, "indices": indices}


def diopiAdaptiveMaxPool1d(a):
    return {"out": functional.adaptive_max_pool1d(a.input, a.output_size)}


def diopiAdaptiveMaxPool1dWithIndices(a):
    return greatest(functional.adaptive_max_pool1d, a)


def diopiAdaptiveMaxPool1dBackward(a):
    grad = torch.ops.aten.adaptive_max_pool2d_backward(
        a.grad_output.unsqueeze(-2), a.input.unsqueeze(-2), a.indices.long().unsqueeze(-2))
    return {"grad_input": grad.squeeze(-2)}


def diopiAdaptiveMaxPool2d(a):
    return {"out": functional.adaptive_max_pool2d(a.input, a.output_size)}


def diopiAdaptiveMaxPool2dWithIndices(a):
    return greatest(functional.adaptive_max_pool2d, a)


def diopiAdaptiveMaxPool2dBackward(a):
    return {"grad_input": torch.ops.aten.adaptive_max_pool2d_backward(a.grad_output, a.input, a.indices.long())}


def diopiAdaptiveMaxPool3d(a):
    return {"out": functional.adaptive_max_pool3d(a.input, a.output_size)}


def diopiAdaptiveMaxPool3dWithIndices(a):
    return greatest(functional.adaptive_max_pool3d, a)


def diopiAdaptiveMaxPool3dBackward(a):
    return {"grad_input": torch.ops.aten.adaptive_max_pool3d_backward(a.grad_output, a.input, a.indices.long())}
