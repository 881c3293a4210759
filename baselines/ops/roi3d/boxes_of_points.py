"""Places of points in turned boxes, by complex numbers."""
import torch


def places(boxes, points):
    """[..., boxes, points, 3]: from each box's least corner, along its own sides; and whether a point lies within."""
    apart = points[..., None, :, :2] - boxes[..., :, None, :2]
    turned = torch.view_as_real(torch.view_as_complex(apart.contiguous())
                                * torch.polar(torch.ones_like(boxes[..., 6]), -boxes[..., 6])[..., None])
    sizes = boxes[..., :, None, 3:6]
    up = points[..., None, :, 2:] - boxes[..., :, None, 2:3]
    place = torch.cat([turned + sizes[..., :2] / 2, up], -1)
    return place, ((place > 0) & (place < sizes)).all(-1)
