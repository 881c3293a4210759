"""layer_norm by its definition, row by row, and its gradient from the saved statistics as a projection. 16-bit tensors
are computed in float32."""
import math

import torch


def wide(tensor):
    return tensor if tensor is None or tensor.dtype == torch.float64 else tensor.float()


def rows(a, tensor):
    """One row a line, as many as the dimensions before the axis have."""
    return wide(tensor).reshape(math.prod(a.input.shape[:a.begin_norm_axis]), math.prod(a.input.shape[a.begin_norm_axis:]))


def affine(a, h, weight, bias):
    y = h if weight is None else h * weight.reshape(-1)
    return y if bias is None else y + bias.reshape(-1)


def diopiLayerNormGB(a):
    x = rows(a, a.input)
    variance, mean = torch.var_mean(x, 1, unbiased=False)
    rstd = torch.rsqrt(variance + a.eps)
    h = (x - mean[:, None]) * rstd[:, None]
    leading = a.input.shape[:a.begin_norm_axis]
    return {"out": affine(a, h, wide(a.weight), wide(a.bias)).reshape(a.input.shape),
            "running_mean": mean.reshape(leading), "running_var": rstd.reshape(leading)}


def diopiLayerNormGBBackward(a):
    x, grad = rows(a, a.input), rows(a, a.grad_output)
    mean, rstd = wide(a.running_mean).reshape(-1, 1), wide(a.running_std).reshape(-1, 1)
    h = (x - mean) * rstd
    scaled = grad if a.weight is None else grad * wide(a.weight).reshape(1, -1)
    # The projection of the gradient on what does not change mean and variance.
    d = (scaled - scaled.mean(1, True) - h * (scaled * h).mean(1, True)) * rstd
    shape = a.input.shape[a.begin_norm_axis:]
    return {"grad_input": d.reshape(a.input.shape), "grad_weight": (grad * h).sum(0).reshape(shape),
            "grad_bias": grad.sum(0).reshape(shape)}
