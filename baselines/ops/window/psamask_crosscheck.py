"""Maps of point-wise spatial attention: each mask is pasted onto a canvas with a margin and the image cut out of it."""
import torch

NO_KERNEL = True


def pasted(a, masks):
    """[images, place row, place column, element row, element column]"""
    images, _, height, width = masks.shape
    canvas = masks.new_zeros(images, height, width, height + 2 * a.h_mask, width + 2 * a.w_mask)
    for y in range(height):
        for x in range(width):
            top, left = a.h_mask + y - a.half_h_mask, a.w_mask + x - a.half_w_mask
            canvas[:, y, x, top:top + a.h_mask, left:left + a.w_mask] = masks[:, :, y, x].reshape(images, a.h_mask, a.w_mask)
    return canvas[..., a.h_mask:a.h_mask + height, a.w_mask:a.w_mask + width]


def mapped(a, masks):
    maps = pasted(a, masks)
    if a.psa_type == 0:
        maps = maps.permute(0, 3, 4, 1, 2)
    return maps.flatten(1, 2)


def diopiPsamaskMmcv(a):
    return {"output": mapped(a, a.input)}


def diopiPsamaskBackwardMmcv(a):
    """Which element of the map each element of the masks became tells where its gradient lies."""
    shape = a.shapes["grad_input"]
    numbers = torch.arange(1, 1 + torch.Size(shape).numel(), dtype=torch.float64).reshape(shape)
    origin = mapped(a, numbers).flatten().long()
    grad = torch.zeros(1 + numbers.numel(), dtype=a.grad_output.dtype)
    grad[origin] = a.grad_output.flatten()
    return {"grad_input": grad[1:].reshape(shape)}


for function in (diopiPsamaskMmcv, diopiPsamaskBackwardMmcv):
    function.not_timed = "a loop over places, no call of PyTorch's"
