"""MMCV's focal loss from the probabilities of the labels; its gradient by autograd, as the derivative by the logarithm of
the label's probability, times the Jacobian of the logarithm of a softmax. 16-bit tensors are computed in float32."""
import torch

NO_KERNEL = True


def wide(tensor):
    return tensor if tensor.dtype == torch.float64 else tensor.float()


def loss(a, log_p):
    result = -a.alpha * (-torch.expm1(log_p)) ** a.gamma * log_p
    return result if a.weight is None or a.weight.numel() == 0 else result * wide(a.weight)[a.target]


def of_label(a):
    return wide(a.softmax).gather(1, a.target[:, None])[:, 0].log()


def diopiSoftmaxFocalLossMmcv(a):
    return {"output": loss(a, of_label(a))}


def diopiSoftmaxFocalLossBackwardMmcv(a):
    log_p = of_label(a).requires_grad_()
    factor = torch.autograd.grad(loss(a, log_p).sum(), log_p)[0]
    p = wide(a.softmax)
    one_hot = torch.zeros_like(p).scatter_(1, a.target[:, None], 1)
    return {"buff": factor, "grad_input": factor[:, None] * (one_hot - p)}
