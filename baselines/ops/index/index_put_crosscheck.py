import torch


def index_put(a):
    indices = [index.long() if index is not None and index.dtype == torch.int32 else index for index in a.indices]
    # The operator behind Tensor.index_put, which alone takes absent entries.
    return torch.ops.aten.index_put(a.input, indices, a.values, a.accumulate)


def diopiIndexPut(a):
    return {"out": index_put(a)}


def diopiIndexPutInp(a):
    return {"input": index_put(a)}
