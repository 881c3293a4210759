import torch


def diopiArange(a):
    dtype = a.out_dtypes["out"]
    return {"out": torch.arange(a.start, a.end, a.step, dtype=a.floating if dtype.is_floating_point else dtype)}
