import torch


def diopiGather(a):
    return {"out": torch.gather(a.input, a.dim, a.index.long())}


def diopiGatherBackward(a):
    if a.grad_output.dtype == torch.bool:
        total = torch.zeros(a.shapes["grad_input"], dtype=torch.int64)
        return {"grad_input": total.scatter_add(a.dim, a.index.long(), a.grad_output.long()) != 0}
    zeros = torch.zeros(a.shapes["grad_input"], dtype=a.grad_output.dtype)
    return {"grad_input": zeros.scatter_add(a.dim, a.index.long(), a.grad_output)}
