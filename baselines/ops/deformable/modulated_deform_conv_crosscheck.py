"""Modulated deformable convolution by torchvision; gradients are its own backward's."""
import torch


def output(a, image, weight, bias, offset, mask):
    from torchvision.ops import deform_conv2d  # PyTorch is timed without it
    return deform_conv2d(image, offset, weight, bias if a.with_bias else None, (a.stride_h, a.stride_w),
                         (a.pad_h, a.pad_w), (a.dilation_h, a.dilation_w), mask)


def diopiModulatedDeformConvMmcv(a):
    return {"output": output(a, a.input, a.weight, a.bias, a.offset, a.mask)}


def diopiModulatedDeformConvBackwardMmcv(a):
    names = ["input", "weight", "bias", "offset", "mask"]
    values = [getattr(a, name).clone().requires_grad_() for name in names]
    grads = torch.autograd.grad(output(a, *values), values, a.grad_output, allow_unused=True)
    return {"grad_" + name: torch.zeros_like(value) if grad is None else grad
            for name, value, grad in zip(names, values, grads)}


for function in (diopiModulatedDeformConvMmcv, diopiModulatedDeformConvBackwardMmcv):
    function.not_timed = "PyTorch without torchvision has no such operator"
