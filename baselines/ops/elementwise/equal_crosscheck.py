"""equal by PyTorch."""
import torch


def diopiEqual(a):
    return {"out": torch.tensor(torch.equal(a.input, a.other))}
