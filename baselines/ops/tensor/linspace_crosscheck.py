import torch


def diopiLinspace(a):
    dtype = a.out_dtypes["out"]
    return {"out": torch.linspace(a.start, a.end, a.steps, dtype=a.floating if dtype.is_floating_point else dtype)}
