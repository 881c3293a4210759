import torch
import torch.nn.functional as F

REDUCTION = ["none", "mean", "sum"]


def diopiSmoothL1Loss(a):
    return {"out": F.smooth_l1_loss(a.input, a.target, reduction=REDUCTION[a.reduction], beta=a.beta)}


def diopiSmoothL1LossBackward(a):
    return {"grad_input": torch.ops.aten.smooth_l1_loss_backward(a.grad_output, a.input, a.target, a.reduction,
                                                                 a.beta)}
