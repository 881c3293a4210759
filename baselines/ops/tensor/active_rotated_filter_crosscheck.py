"""Turned filters by scatter along flattened entries; gradients are autograd's."""
import torch

NO_KERNEL = True


def turned(filters, indices):
    outputs, inputs, orientations, height, width = filters.shape
    entries = filters.reshape(outputs, 1, inputs, -1).expand(-1, indices.shape[3], -1, -1)
    places = (indices.reshape(-1, indices.shape[3]).long() - 1).T[None, :, None].expand_as(entries)
    result = torch.zeros_like(entries).scatter(3, places, entries)
    return result.reshape(-1, inputs * orientations, height, width)


def diopiActiveRotatedFilterMmcv(a):
    return {"output": turned(a.input, a.indices)}


def diopiActiveRotatedFilterBackwardMmcv(a):
    filters = torch.zeros_like(a.grad_in).requires_grad_()
    return {"grad_in": torch.autograd.grad(turned(filters, a.indices), filters, a.grad_out)[0]}
