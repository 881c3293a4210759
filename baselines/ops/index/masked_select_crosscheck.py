"""masked_select by PyTorch."""
import torch


def diopiMaskedSelect(a):
    return {"out": torch.masked_select(a.input, a.mask)}


def diopiMaskedSelectBackward(a):
    return {"grad_input": torch.ops.aten.masked_select_backward(a.grad_output, a.input, a.mask)}
