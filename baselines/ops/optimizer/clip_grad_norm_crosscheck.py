import torch


def diopiClipGradNorm(a):
    parameters = []
    for grad in a.grads:
        parameter = torch.zeros_like(grad, requires_grad=True)
        parameter.grad = grad.clone()
        parameters.append(parameter)
    norm = torch.nn.utils.clip_grad_norm_(parameters, a.max_norm, a.norm_type)
    return {"out": norm, "grads": [parameter.grad for parameter in parameters]}
