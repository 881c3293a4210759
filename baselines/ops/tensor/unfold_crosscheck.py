"""unfold by PyTorch."""
import torch


def diopiUnfold(a):
    return {"out": a.input.unfold(a.dim, a.size, a.step)}


def diopiUnfoldBackward(a):
    return {"grad_input": torch.ops.aten.unfold_backward(a.grad_output, a.input_sizes, a.dim, a.size, a.step)}
