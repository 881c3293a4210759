"""Modulated deformable convolution as products of matrices; gradients are autograd's."""
import torch

from deformable_taps import convolved

NO_KERNEL = True


def output(a, image, weight, bias, offset, mask):
    out = convolved(image, offset, mask, weight, (a.stride_h, a.stride_w), (a.pad_h, a.pad_w),
                    (a.dilation_h, a.dilation_w), a.group, a.deformable_group)
    return out + bias[:, None, None] if a.with_bias else out


def diopiModulatedDeformConvMmcv(a):
    return {"output": output(a, a.input, a.weight, a.bias, a.offset, a.mask)}


def diopiModulatedDeformConvBackwardMmcv(a):
    names = ["input", "weight", "bias", "offset", "mask"]
    values = [getattr(a, name).clone().requires_grad_() for name in names]
    grads = torch.autograd.grad(output(a, *values), values, a.grad_output, allow_unused=True)
    return {"grad_" + name: torch.zeros_like(value) if grad is None else grad
            for name, value, grad in zip(names, values, grads)}


for function in (diopiModulatedDeformConvMmcv, diopiModulatedDeformConvBackwardMmcv):
    function.not_timed = "composed of several calls: PyTorch without torchvision has no such operator"
