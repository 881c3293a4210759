"""MMCV's batch normalization across devices from PyTorch's moments and batch_norm; the gradient as the projection of
grad_output that PyTorch's batch_norm has, with the sums that are given."""
import torch

NO_KERNEL = True


def wide(tensor):
    return None if tensor is None else tensor.double()


def diopiSyncBnMeanMmcv(a):
    return {"mean": wide(a.input).mean(dim=(0, 2))}


def diopiSyncBnVarMmcv(a):
    """Around its own mean, moved to the mean that is given."""
    own_var, own_mean = torch.var_mean(wide(a.input), dim=(0, 2), unbiased=False)
    return {"var": own_var + (own_mean - wide(a.mean)) ** 2}


def diopiSyncBnOutputMmcv(a):
    x, mean, var = wide(a.input), wide(a.mean), wide(a.var)

    def norm(weight, bias):
        return torch.nn.functional.batch_norm(x, mean.clone(), var.clone(), weight, bias, False, 0, a.eps)

    result = {"output": norm(wide(a.weight), wide(a.bias)), "norm": norm(None, None), "std": (var + a.eps).sqrt()}
    if a.running_mean is not None:
        count = x.shape[0] * x.shape[2] * a.group_size
        unbiased = var * (count / (count - 1)) if count > 1 else var
        result["running_mean"] = torch.lerp(wide(a.running_mean), mean, a.momentum)
        result["running_var"] = torch.lerp(wide(a.running_var), unbiased, a.momentum)
    return result


def diopiSyncBnBackwardParamMmcv(a):
    g = wide(a.grad_output)
    return {"grad_weight": torch.einsum("bcs,bcs->c", g, wide(a.norm)), "grad_bias": g.sum(dim=(0, 2))}


def diopiSyncBnBackwardDataMmcv(a):
    g = wide(a.grad_output).movedim(1, -1)
    count = g.shape[0] * g.shape[1]
    scale = wide(a.weight) / wide(a.std)
    projected = torch.addcmul(g - wide(a.grad_bias) / count, wide(a.norm).movedim(1, -1), wide(a.grad_weight),
                              value=-1 / count)
    return {"grad_input": (projected * scale).movedim(-1, 1)}
