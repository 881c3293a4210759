"""max_pool1d, max_pool2d and max_pool3d by PyTorch. The saved indices are given, so PyTorch's own backward kernels are
called on them; a line is an image of one row to it."""
import torch
from torch.nn import functional


def max_pool(call, a):
    return {"out": call(a.input, a.kernel_size, a.stride or None, a.padding, a.dilation, a.ceil_mode)}


def with_indices(call, a):
    out, indices = call(a.input, a.kernel_size, a.stride or None, a.padding, a.dilation, a.ceil_mode,
                        return_indices=True)
    return {"out": out, "indices": indices}


def gradient(kernel, a):
    grad = kernel(a.grad_output, a.input, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode, a.indices.long())
    return {"grad_input": grad}


def diopiMaxPool1d(a):
    return max_pool(functional.max_pool1d, a)


def diopiMaxPool1dWithIndices(a):
    return with_indices(functional.max_pool1d, a)


def diopiMaxPool1dBackward(a):
    grad = torch.ops.aten.max_pool2d_with_indices_backward(
        a.grad_output.unsqueeze(-2), a.input.unsqueeze(-2), [1, *a.kernel_size], [1, *(a.stride or a.kernel_size)],
        [0, *a.padding], [1, *a.dilation], a.ceil_mode, a.indices.long().unsqueeze(-2))
    return {"grad_input": grad.squeeze(-2)}


def diopiMaxPool2d(a):
    return max_pool(functional.max_pool2d, a)


def diopiMaxPool2dWithIndices(a):
    return with_indices(functional.max_pool2d, a)


def diopiMaxPool2dBackward(a):
    return gradient(torch.ops.aten.max_pool2d_with_indices_backward, a)


def diopiMaxPool3d(a):
    return max_pool(functional.max_pool3d, a)


def diopiMaxPool3dWithIndices(a):
    return with_indices(functional.max_pool3d, a)


def diopiMaxPool3dBackward(a):
    return gradient(torch.ops.aten.max_pool3d_with_indices_backward, a)
