"""select and slice by PyTorch."""
import torch

aten = torch.ops.aten


def diopiSelect(a):
    return {"out": aten.select(a.input, a.dim, a.index)}


def diopiSelectBackward(a):
    return {"grad_input": aten.select_backward(a.grad_output, a.input_sizes, a.dim, a.index)}


def diopiSelectScatter(a):
    return {"out": torch.select_scatter(a.input, a.src, a.dim, a.index)}


def diopiSlice(a):
    return {"null_out": aten.slice(a.input, a.dim, a.start, a.end, a.step)}


def diopiSliceBackward(a):
    return {"grad_input": aten.slice_backward(a.grad_output, a.input_sizes, a.dim, a.start, a.end, a.step)}


def diopiSliceScatter(a):
    return {"out": torch.slice_scatter(a.input, a.src, a.dim, a.start, a.end, a.step)}
