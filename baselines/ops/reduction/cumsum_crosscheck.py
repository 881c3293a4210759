import torch


def diopiCumsum(a):
    return {"out": torch.cumsum(a.input, a.dim, dtype=None if a.input.is_floating_point() else a.out_dtypes["out"])}


def diopiCumsumBackward(a):
    return {"grad_input": torch.flip(torch.cumsum(torch.flip(a.grad_output, [a.dim]), a.dim), [a.dim])
            if a.grad_output.dim() else a.grad_output}
