"""contiguous by PyTorch."""
import torch

FORMATS = {0: torch.contiguous_format, 1: torch.channels_last, 2: torch.channels_last_3d, 3: torch.contiguous_format,
           4: torch.contiguous_format}  # channels last, of one dimension: the same values


def diopiContiguous(a):
    return {"out": a.input.contiguous(memory_format=FORMATS[a.memoryFormat])}
