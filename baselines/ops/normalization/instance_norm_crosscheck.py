"""instance_norm by PyTorch, on the dimensions up to `axis` taken together as channels."""
import torch


def normalized(a, x, scale, bias):
    channels = 1
    for size in x.shape[1:a.axis]:
        channels *= size
    if x.numel() == 0:
        return x * 1
    shaped = x.reshape(x.shape[0], channels, -1)
    return torch.nn.functional.instance_norm(shaped, None, None, scale, bias, True, 0.0, a.eps).reshape(x.shape)


def diopiInstanceNorm(a):
    return {"output": normalized(a, a.input, a.scale, a.bias)}


def diopiInstanceNormBackward(a):
    wanted = {"grad_input": a.input, "grad_scale": a.scale, "grad_bias": a.bias}
    leaves = {name: None if t is None else t.clone().requires_grad_() for name, t in wanted.items()}
    out = normalized(a, *leaves.values())
    given = {name: leaf for name, leaf in leaves.items() if leaf is not None}
    grads = torch.autograd.grad(out, list(given.values()), a.grad_output, allow_unused=True)
    return {name: torch.zeros_like(leaf) if grad is None else grad
            for (name, leaf), grad in zip(given.items(), grads)}
