import torch


def pool(a, **kwargs):
    return torch.nn.functional.max_pool2d(a.input, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode,
                                          **kwargs)


def diopiMaxPool2d(a):
    return {"out": pool(a)}


def diopiMaxPool2dWithIndices(a):
    out, indices = pool(a, return_indices=True)
    return {"out": out, "indices": indices}


def diopiMaxPool2dBackward(a):
    # The saved indices are given, so PyTorch's own backward kernel is called on them.
    grad = torch.ops.aten.max_pool2d_with_indices_backward(
        a.grad_output, a.input, a.kernel_size, a.stride, a.padding, a.dilation, a.ceil_mode, a.indices.long())
    return {"grad_input": grad}
