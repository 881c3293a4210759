import torch

from calls import p_norm, takes_as_float


def diopiClipGradNorm(a):
    if not takes_as_float(a.norm_type):
        norm = p_norm(torch.stack([p_norm(grad, a.norm_type) for grad in a.grads]), a.norm_type)
        return {"out": norm, "grads": [grad * torch.clamp(a.max_norm / (norm + 1e-6), max=1) for grad in a.grads]}
    parameters = []
    for grad in a.grads:
        parameter = torch.zeros_like(grad, requires_grad=True)
        parameter.grad = grad.clone()
        parameters.append(parameter)
    norm = torch.nn.utils.clip_grad_norm_(parameters, a.max_norm, a.norm_type)
    return {"out": norm, "grads": [parameter.grad for parameter in parameters]}
