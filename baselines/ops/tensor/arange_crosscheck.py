import torch


def diopiArange(a):
    return {"out": torch.arange(a.start, a.end, a.step, dtype=a.out_dtypes["out"])}
