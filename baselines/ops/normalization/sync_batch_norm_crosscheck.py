"""PyTorch has these functions on GPUs only: from its primitives, 16-bit tensors in float32 as there."""
import torch


def single(x):
    """What the ABI passes as C float."""
    return torch.tensor(x, dtype=torch.float32).item()


def wide(tensor):
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def others(x):
    return [dim for dim in range(x.dim()) if dim != 1]


def per_channel(tensor, x):
    return tensor.reshape([-1 if dim == 1 else 1 for dim in range(x.dim())])


def diopiBatchNormStats(a):
    var, mean = torch.var_mean(wide(a.input), dim=others(a.input), unbiased=False)
    return {"mean": mean, "invstd": (var + a.eps).rsqrt()}


def diopiBatchNormGatherStatsWithCounts(a):
    eps, momentum = single(a.eps), single(a.momentum)
    counts = a.counts.reshape(-1, 1)
    total = counts.sum()
    mean = (a.mean_all * counts).sum(0) / total
    squares = ((a.invstd_all ** -2 - eps + (a.mean_all - mean) ** 2) * counts).sum(0)
    results = {"mean": mean, "invstd": (squares / total + eps).rsqrt()}
    if a.running_mean is not None:
        results["running_mean"] = torch.lerp(a.running_mean, mean, momentum)
    if a.running_var is not None:
        results["running_var"] = torch.lerp(a.running_var, squares / (total - 1), momentum)
    return results


def diopiBatchNormElemt(a):
    x = wide(a.input)
    out = (x - per_channel(a.mean, x)) * per_channel(a.invstd, x)
    if a.weight is not None:
        out = out * per_channel(a.weight, x)
    if a.bias is not None:
        out = out + per_channel(a.bias, x)
    return {"out": out.to(a.input.dtype)}


def diopiBatchNormBackwardReduce(a):
    x, grad = wide(a.input), wide(a.grad_out)
    sum_dy = grad.sum(others(x))
    sum_dy_xmu = (grad * (x - per_channel(a.mean, x))).sum(others(x))
    results = {}
    if a.input_g:
        results.update({"sum_dy": sum_dy, "sum_dy_xmu": sum_dy_xmu})
    if a.weight_g:
        results["grad_weight"] = sum_dy_xmu * a.invstd
    if a.bias_g:
        results["grad_bias"] = sum_dy
    return results


def diopiBatchNormBackwardElemt(a):
    x = wide(a.input)
    count = a.count.sum()
    slope = a.sum_dy_xmu / count * a.invstd ** 2
    centred = wide(a.grad_out) - per_channel(a.sum_dy / count, x) - (x - per_channel(a.mean, x)) * per_channel(slope, x)
    scale = a.invstd if a.weight is None else a.invstd * a.weight
    return {"grad_input": (centred * per_channel(scale, x)).to(a.input.dtype)}


for function in (diopiBatchNormStats, diopiBatchNormGatherStatsWithCounts, diopiBatchNormElemt,
                 diopiBatchNormBackwardReduce, diopiBatchNormBackwardElemt):
    function.not_timed = "PyTorch has it on GPUs only"
