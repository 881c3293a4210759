"""For baselines/timing: what comes out is random, so nothing is compared."""
import torch


def diopiMultinomial(a):
    return {"out": torch.multinomial(a.input, a.num_samples, a.replacement)}
