"""clamp, hardtanh, threshold and leaky_relu by PyTorch."""
import torch
from torch.nn.functional import hardtanh, leaky_relu, threshold


def of_input(call):
    """The functions out of place and in place."""
    return lambda a: {"out": call(a)}, lambda a: {"input": call(a)}


diopiClamp, diopiClampInp = of_input(lambda a: torch.clamp(a.input, a.min, a.max))
diopiClampMax, diopiClampMaxInp = of_input(lambda a: torch.clamp_max(a.input, a.max))
diopiClampMin, diopiClampMinInp = of_input(lambda a: torch.clamp_min(a.input, a.min))
diopiClampScalar, diopiClampInpScalar = diopiClamp, diopiClampInp
diopiClampMaxScalar, diopiClampMaxInpScalar = diopiClampMax, diopiClampMaxInp
diopiClampMinScalar, diopiClampMinInpScalar = diopiClampMin, diopiClampMinInp
diopiHardtanh, diopiHardtanhInp = of_input(lambda a: hardtanh(a.input, a.min_val, a.max_val))
diopiThreshold, diopiThresholdInp = of_input(lambda a: threshold(a.input, a.threshold, a.value))
diopiLeakyRelu, diopiLeakyReluInp = of_input(lambda a: leaky_relu(a.input, a.negative_slope))


def diopiHardtanhBackward(a):
    return {"grad_input": torch.ops.aten.hardtanh_backward(a.grad_output, a.input, a.min_val, a.max_val)}


def diopiThresholdBackward(a):
    return {"grad_input": torch.ops.aten.threshold_backward(a.grad_output, a.input, a.threshold)}


def diopiLeakyReluBackward(a):
    return {"grad_input": torch.ops.aten.leaky_relu_backward(a.grad_output, a.input, a.negative_slope, False)}
