"""For baselines/timing: what comes out is random, so nothing is compared."""
import torch


def diopiBernoulli(a):
    return {"out": torch.bernoulli(a.input)}


def diopiBernoulliInp(a):
    return {"inout": torch.bernoulli(a.inout)}


def diopiBernoulliScalar(a):
    return {"out": torch.empty(a.shapes["out"], dtype=a.out_dtypes["out"]).bernoulli_(a.p)}
