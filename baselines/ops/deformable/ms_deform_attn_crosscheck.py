"""Deformable attention level by level with PyTorch's grid_sample; gradients are autograd's."""
import torch

NO_KERNEL = True


def attended(a, value, places, weights):
    images, _, heads, dim = value.shape
    queries = places.shape[1]
    out = value.new_zeros(images * heads, queries, dim)
    for level, ((height, width), start) in enumerate(zip(a.spatial_shapes.tolist(), a.level_start_index.tolist())):
        planes = value[:, start:start + height * width].reshape(images, height, width, heads, dim)
        grid = 2 * places[:, :, :, level].transpose(1, 2).flatten(0, 1) - 1
        samples = torch.nn.functional.grid_sample(planes.permute(0, 3, 4, 1, 2).flatten(0, 1), grid, "bilinear",
                                                  "zeros", align_corners=False)
        out = out + torch.einsum("ndqp,nqp->nqd", samples, weights[:, :, :, level].transpose(1, 2).flatten(0, 1))
    return out.reshape(images, heads, queries, dim).transpose(1, 2).flatten(2)


def diopiMsDeformAttnMmcv(a):
    return {"out": attended(a, a.value, a.sampling_loc, a.attn_weight)}


def diopiMsDeformAttnBackwardMmcv(a):
    names = ["value", "sampling_loc", "attn_weight"]
    values = [getattr(a, name).clone().requires_grad_() for name in names]
    grads = torch.autograd.grad(attended(a, *values), values, a.grad_output)
    return {"grad_" + name: grad for name, grad in zip(names, grads)}


for function in (diopiMsDeformAttnMmcv, diopiMsDeformAttnBackwardMmcv):
    function.not_timed = "composed of several calls: PyTorch has no such operator"
