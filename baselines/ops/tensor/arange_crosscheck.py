import torch


def diopiArange(a):
    dtype = a.out_dtypes["out"]
    return {"out": torch.arange(a.start, a.end, a.step, dtype=torch.float64 if dtype.is_floating_point else dtype)}
