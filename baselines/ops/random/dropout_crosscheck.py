"""For baselines/timing: what comes out is random, so nothing is compared."""
import torch


def diopiDropout(a):
    out, mask = torch.native_dropout(a.input, a.p, a.train)
    return {"out": out, "mask": mask}


def diopiDropoutInp(a):
    out, mask = torch.native_dropout(a.input, a.p, a.train)
    return {"input": out, "mask": mask}
