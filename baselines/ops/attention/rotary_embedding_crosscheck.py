import torch

NO_KERNEL = True


# As products of complex numbers.
def diopiRotaryEmbedding(a):
    half = a.x.shape[-1] // 2
    pairs = a.x.unflatten(-1, (half, 2)) if a.interleaved else a.x.unflatten(-1, (2, half)).transpose(-1, -2)
    turned = torch.complex(pairs[..., 0].contiguous(), pairs[..., 1].contiguous())
    angle = torch.complex(a.cos.contiguous(), a.sin.contiguous())
    turned = turned * (angle.conj() if a.conj else angle)
    parts = torch.view_as_real(turned.resolve_conj())
    return {"out": (parts if a.interleaved else parts.transpose(-1, -2)).reshape(a.x.shape)}
