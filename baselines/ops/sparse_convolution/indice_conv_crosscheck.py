"""Sparse convolution as a product with one dense matrix: for each offset a matrix of zeros and ones moves the rows. Gradients are
autograd's."""
import torch

NO_KERNEL = True


def moves(a, rows_in, rows_out):
    """(offsets, rows out, rows in)"""
    dense = torch.zeros(a.indicePairs.shape[0], rows_out, rows_in, dtype=torch.float64)
    for i, count in enumerate(a.indiceNum.tolist()):
        pairs = a.indicePairs[i, :, :count].long()
        dense[i].index_put_((pairs[1 - a._inverse], pairs[a._inverse]), torch.ones(count, dtype=torch.float64))
    if a._subM:
        dense[a.indiceNum.argmax()] = torch.eye(rows_in, dtype=torch.float64)
    return dense


def convolved(a, features, filters, rows_out):
    stacked = filters.reshape(-1, *filters.shape[-2:])
    return torch.einsum("vor,rc,vcd->od", moves(a, features.shape[0], rows_out), features, stacked)


def diopiIndiceConvMmcv(a):
    return {"out": convolved(a, a.features, a.filters, a.numActOut)}


def diopiFusedIndiceConvBatchnormMmcv(a):
    return {"out": convolved(a, a.features, a.filters, a.numActOut) + a.bias}


def diopiIndiceConvBackwardMmcv(a):
    values = [x.clone().requires_grad_() for x in (a.features, a.filters)]
    return {"outlist": torch.autograd.grad(convolved(a, *values, a.outGrad.shape[0]), values, a.outGrad)}


for function in (diopiIndiceConvMmcv, diopiFusedIndiceConvBatchnormMmcv, diopiIndiceConvBackwardMmcv):
    function.not_timed = "composed of several calls: PyTorch has no such operator"
