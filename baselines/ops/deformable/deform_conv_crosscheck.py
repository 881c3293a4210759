"""Deformable convolution as products of matrices: an image is linear in the weights of its rows and columns. Gradients are
autograd's."""
import torch

from deformable_taps import convolved

NO_KERNEL = True


def output(a, input, offset, weight):
    return convolved(input, offset, None, weight, (a.dH, a.dW), (a.padH, a.padW), (a.dilationH, a.dilationW),
                     a.groups, a.deform_groups)


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
    function.not_timed = "composed of several calls: PyTorch without torchvision has no such operator"
