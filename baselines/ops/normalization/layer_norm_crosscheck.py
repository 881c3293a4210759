import torch


def diopiLayerNorm(a):
    out, mean, rstd = torch.native_layer_norm(a.input, a.normalized_shape, a.weight, a.bias, a.eps)
    leading = a.input.shape[:a.input.dim() - len(a.normalized_shape)]
    return {"out": out, "save_mean": mean.reshape(leading), "save_invstd": rstd.reshape(leading)}


def diopiLayerNormBackward(a):
    # The saved statistics are given, so PyTorch's own backward kernel is called on them.
    leading = a.input.shape[:a.input.dim() - len(a.normalized_shape)]
    saved = list(leading) + [1] * len(a.normalized_shape)
    weight = torch.ones(a.normalized_shape, dtype=a.input.dtype) if a.weight is None else a.weight
    grads = torch.ops.aten.native_layer_norm_backward(
        a.grad_output.contiguous(), a.input.contiguous(), a.normalized_shape, a.mean.reshape(saved),
        a.rstd.reshape(saved), weight, torch.zeros_like(weight), [True, True, True])
    return dict(zip(("grad_input", "grad_weight", "grad_bias"), grads))
