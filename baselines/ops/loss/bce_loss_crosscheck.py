import torch


def diopiBCELoss(a):
    return {"out": torch.ops.aten.binary_cross_entropy(a.input, a.target, a.weight, a.reduction)}


def diopiBCELossBackward(a):
    return {"grad_input": torch.ops.aten.binary_cross_entropy_backward(a.grad_output, a.input, a.target, a.weight,
                                                                       a.reduction)}
