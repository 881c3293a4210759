"""Deformable convolution by torchvision; gradients are its own backward's."""
import torch


def output(a, image, offset, weight):
    from torchvision.ops import deform_conv2d  # PyTorch is timed without it
    return deform_conv2d(image, offset, weight, stride=(a.dH, a.dW), padding=(a.padH, a.padW),
                         dilation=(a.dilationH, a.dilationW))


def diopiDeformConvMmcv(a):
    return {"output": output(a, a.input, a.offset, a.weight)}


def diopiDeformConvBackwardInputMmcv(a):
    image, offset = a.input.clone().requires_grad_(), a.offset.clone().requires_grad_()
    grads = torch.autograd.grad(output(a, image, offset, a.weight), [image, offset], a.gradOutput)
    return {"gradInput": grads[0], "gradOffset": grads[1]}


def diopiDeformConvBackwardParametersMmcv(a):
    weight = torch.zeros_like(a.gradWeight).requires_grad_()
    grad, = torch.autograd.grad(output(a, a.input, a.offset, weight), [weight], a.gradOutput)
    return {"gradWeight": a.scale * grad}


for function in (diopiDeformConvMmcv, diopiDeformConvBackwardInputMmcv, diopiDeformConvBackwardParametersMmcv):
    function.not_timed = "PyTorch without torchvision has no such operator"
