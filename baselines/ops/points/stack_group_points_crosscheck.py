"""Batches taken apart, an indexed selection in each; gradients by index_add of the transposed groups."""
import torch


def firsts(a):
    begins = a.features_batch_cnt_tensor.long().cumsum(0) - a.features_batch_cnt_tensor
    return begins.repeat_interleave(a.idx_batch_cnt_tensor.long())


def diopiStackGroupPointsMmcv(a):
    return {"out_tensor": a.features_tensor[a.idx_tensor.long() + firsts(a)[:, None]].transpose(1, 2)}


def diopiStackGroupPointsBackwardMmcv(a):
    rows = (a.idx_tensor.long() + firsts(a)[:, None]).flatten()
    grad = a.grad_out_tensor.transpose(1, 2).reshape(-1, a.c)
    return {"grad_features_tensor": grad.new_zeros(a.n, a.c).index_add(0, rows, grad)}


for function in (diopiStackGroupPointsMmcv, diopiStackGroupPointsBackwardMmcv):
    function.not_timed = "PyTorch has no single call for stacked batches"
