import torch


def diopiSplitWithSizes(a):
    return {"outs": list(torch.split_with_sizes(a.input, a.splitSizes, a.dim))}
