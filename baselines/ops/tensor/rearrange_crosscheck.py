"""Operators that move elements, by PyTorch."""
import torch


def diopiTril(a):
    return {"out": torch.tril(a.input, a.diagonal)}


def diopiTriu(a):
    return {"out": torch.triu(a.input, a.diagonal)}


def diopiTriuInp(a):
    return {"input": torch.triu(a.input, a.diagonal)}


def diopiTranspose(a):
    return {"out": a.input.transpose(a.dim0, a.dim1)}


def diopiFlip(a):
    return {"out": torch.flip(a.input, a.dims)}


def diopiRoll(a):
    return {"out": torch.roll(a.input, a.shifts, a.dims)}


def diopiRepeat(a):
    return {"out": a.input.repeat(a.repeats_size)}


def diopiMeshGrid(a):
    return {"outs": list(torch.meshgrid(a.inputs, indexing="ij"))}
