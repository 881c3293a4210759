"""index by PyTorch."""
import torch


def long(indices):
    """int32 indices as int64, and uint8 masks as bool: PyTorch takes these alone without complaint."""
    wider = {torch.int32: torch.int64, torch.uint8: torch.bool}
    return [None if index is None else index.to(wider.get(index.dtype, index.dtype)) for index in indices]


def diopiIndex(a):
    return {"out": torch.ops.aten.index(a.input, long(a.indices))}


def diopiIndexBackward(a):
    return {"grad_input": torch.ops.aten.index_put(a.zeros_like_input, long(a.indices), a.grad_output, True)}
