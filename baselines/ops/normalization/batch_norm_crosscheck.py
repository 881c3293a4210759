import torch


def diopiBatchNorm(a):
    mean = None if a.running_mean is None else a.running_mean.clone()
    var = None if a.running_var is None else a.running_var.clone()
    out, save_mean, save_invstd = torch.native_batch_norm(a.input, a.weight, a.bias, mean, var, a.training,
                                                          a.momentum, a.eps)
    results = {"out": out, "running_mean": mean, "running_var": var}
    if a.training:  # PyTorch saves nothing otherwise
        results.update({"save_mean": save_mean, "save_invstd": save_invstd})
    return {name: value for name, value in results.items() if value is not None}


def diopiBatchNormBackward(a):
    # The saved statistics are given, so PyTorch's own backward kernel is called on them.
    weight = torch.ones(a.input.shape[1], dtype=a.input.dtype) if a.weight is None else a.weight
    grads = torch.ops.aten.native_batch_norm_backward(
        a.grad_output, a.input, weight, a.running_mean, a.running_var, a.save_mean, a.save_invstd, a.training, a.eps,
        [True, True, True])
    return dict(zip(("grad_input", "grad_weight", "grad_bias"), grads))
