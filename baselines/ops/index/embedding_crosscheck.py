import torch
import torch.nn.functional as F

from calls import p_norm, takes_as_float


def diopiEmbedding(a):
    return {"out": F.embedding(a.indices, a.weight)}


def diopiEmbeddingBackward(a):
    weight = torch.zeros(a.shapes["out"], dtype=a.grad.dtype, requires_grad=True)
    padding = a.padding_idx if a.padding_idx >= 0 else None
    out = F.embedding(a.indices, weight, padding_idx=padding, scale_grad_by_freq=a.scale_grad_byfreq)
    return {"out": torch.autograd.grad(out, weight, a.grad)[0]}


def diopiEmbeddingRenorm_(a):
    rows = a.indices.long()
    if takes_as_float(a.norm_type):
        return {"inout": torch.embedding_renorm_(a.inout.clone(), rows, a.max_norm, a.norm_type)}
    norm = p_norm(a.inout[rows], a.norm_type, [-1], True)
    scaled = a.inout[rows] * torch.where(norm > a.max_norm, a.max_norm / (norm + 1e-7), 1)
    return {"inout": a.inout.index_put((rows,), scaled)}
