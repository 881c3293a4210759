"""The focal loss of torchvision's definition, from binary cross entropy; its gradient by autograd. 16-bit tensors are
computed in float32: as steps of 16 bits they would be another function."""
import torch

REDUCTION = [lambda loss: loss, torch.mean, torch.sum]


def wide(tensor):
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def loss(a, x, t):
    p = torch.sigmoid(x)
    of_label = p * t + (1 - p) * (1 - t)
    entropy = torch.nn.functional.binary_cross_entropy_with_logits(x, t, reduction="none")
    return REDUCTION[a.reduction]((a.alpha * t + (1 - a.alpha) * (1 - t)) * entropy * (1 - of_label) ** a.gamma)


def diopiSigmoidFocalLoss(a):
    return {"out": loss(a, wide(a.inputs), wide(a.targets))}


def diopiSigmoidFocalLossBackward(a):
    x = wide(a.input).clone().requires_grad_()
    return {"grad_input": torch.autograd.grad(loss(a, x, wide(a.target)), x, wide(a.grad_output))[0]}
