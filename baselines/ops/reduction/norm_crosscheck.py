import math

import torch

from calls import p_norm


def norm(x, a, out):
    return p_norm(x, float(a.p), a.dim or None, keepdim=len(a.shapes[out]) == x.dim())


def diopiNorm(a):
    return {"out": norm(a.input, a, "out")}


def diopiNormBackward(a):
    """autograd's gradient belongs to its own norm; the one given enters as norm^(1-p)."""
    x = a.self.clone().requires_grad_()
    own = norm(x, a, "norm")
    grad_output = a.grad_output
    if not math.isinf(a.p) and a.p != 0:
        ratio = torch.where(a.norm == own.detach(), torch.ones_like(own), (a.norm / own.detach()) ** (1 - float(a.p)))
        grad_output = torch.where(own == 0, torch.zeros_like(ratio), grad_output * ratio)
    gradient, = torch.autograd.grad(own, x, grad_output, allow_unused=True)
    return {"grad_input": torch.zeros_like(x) if gradient is None else gradient}  # p 0: nothing depends on x
