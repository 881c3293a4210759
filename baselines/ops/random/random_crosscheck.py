"""For baselines/timing: what comes out is random, so nothing is compared."""
import torch


def diopiRandomInp(a):
    return {"inout": a.inout.random_(getattr(a, "from"), a.to)}


def diopiRandperm(a):
    return {"out": torch.randperm(a.n, dtype=a.out_dtypes["out"])}
