"""For baselines/timing: what comes out is random, so nothing is compared."""
import torch


def diopiNormal(a):
    return {"out": torch.empty(a.shapes["out"], dtype=a.out_dtypes["out"]).normal_(a.mean, a.std)}


def diopiNormalInp(a):
    return {"inout": a.inout.normal_(a.mean, a.std)}


def diopiNormalTensorScalar(a):
    return {"out": torch.normal(a.mean, a.std)}


def diopiNormalScalarTensor(a):
    return {"out": torch.normal(a.mean, a.std)}


def diopiNormalTensor(a):
    return {"out": torch.normal(a.mean, a.std)}
