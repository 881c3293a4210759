"""pad by PyTorch."""
import torch


def diopiPad(a):
    value = 0.0 if a.value is None else a.value
    if a.mode == "constant":
        return {"out": torch.nn.functional.pad(a.input, a.pad, "constant", value)}
    return {"out": torch.nn.functional.pad(a.input, a.pad, a.mode)}
