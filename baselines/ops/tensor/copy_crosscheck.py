import torch


def diopiCopyInp(a):
    dtype = a.out_dtypes["dest"]
    dest = torch.empty(a.shapes["dest"], dtype=a.floating if dtype.is_floating_point else dtype)
    return {"dest": dest.copy_(a.src)}
