"""argsort by PyTorch; as our references always stable, which decides nothing where there are no equals."""
import torch


def diopiArgsort(a):
    return {"out": torch.sort(a.input, dim=-1 if a.dim is None else a.dim, descending=a.descending, stable=True)[1]}
