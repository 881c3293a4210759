"""Content-aware reassembly by PyTorch's unfold: the windows around all elements at once, enlarged by repetition."""
import torch


def enlarged(features, masks, kernel, groups, scale):
    images, channels, height, width = features.shape
    windows = torch.nn.functional.unfold(features, kernel, padding=kernel // 2)
    windows = windows.reshape(images, groups, channels // groups, kernel * kernel, height, width)
    windows = windows.repeat_interleave(scale, 4).repeat_interleave(scale, 5)
    weights = masks.reshape(images, groups, 1, kernel * kernel, height * scale, width * scale)
    return (windows * weights).sum(3).flatten(1, 2)


def gradients(a, features):
    values = [features.clone().requires_grad_(), a.masks.clone().requires_grad_()]
    out = enlarged(*values, a.kernel_size, a.group_size, a.scale_factor)
    grads = torch.autograd.grad(out, values, a.top_grad)
    return {"bottom_grad": grads[0], "mask_grad": grads[1]}


def result(a):
    return {"output": enlarged(a.features, a.masks, a.kernel_size, a.group_size, a.scale_factor)}
