import torch
import torch.nn.functional as F

REDUCTION = ["none", "mean", "sum"]


def total_weight(a):
    kept = a.target[a.target != a.ignore_index]
    return (torch.ones(kept.shape, dtype=a.input.dtype) if a.weight is None else a.weight[kept]).sum()


def loss(a, x):
    return F.nll_loss(x, a.target, a.weight, ignore_index=a.ignore_index, reduction=REDUCTION[a.reduction])


def gradient(a):
    x = a.input.clone().requires_grad_()
    return torch.autograd.grad(loss(a, x), x, a.grad_output)[0]


def diopiNLLLoss(a):
    return {"out": loss(a, a.input)}


def diopiNLLLossV2(a):
    return {"out": loss(a, a.input), "totalWeight": total_weight(a)}


def diopiNLLLossBackward(a):
    return {"grad_input": gradient(a)}


def diopiNLLLossV2Backward(a):
    """The mean divides by the total weight that the forward saved, rounded to the case's dtype."""
    if REDUCTION[a.reduction] != "mean":
        return {"grad_input": gradient(a)}
    x = a.input.clone().requires_grad_()
    total = F.nll_loss(x, a.target, a.weight, ignore_index=a.ignore_index, reduction="sum")
    return {"grad_input": torch.autograd.grad(total / a.totalWeight, x, a.grad_output)[0]}
