import torch
import torch.nn.functional as F


def diopiEmbedding(a):
    return {"out": F.embedding(a.indices, a.weight)}


def diopiEmbeddingBackward(a):
    weight = torch.zeros(a.shapes["out"], dtype=a.grad.dtype, requires_grad=True)
    padding = a.padding_idx if a.padding_idx >= 0 else None
    out = F.embedding(a.indices, weight, padding_idx=padding, scale_grad_by_freq=a.scale_grad_byfreq)
    return {"out": torch.autograd.grad(out, weight, a.grad)[0]}


def diopiEmbeddingRenorm_(a):
    return {"inout": torch.embedding_renorm_(a.inout.clone(), a.indices.long(), a.max_norm, a.norm_type)}
