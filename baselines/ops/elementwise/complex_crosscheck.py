import torch


def diopiReal(a):
    return {"out": torch.real(a.input).clone()}


def diopiImag(a):
    return {"out": torch.imag(a.input).clone()}


def diopiConj(a):
    return {"out": torch.conj_physical(a.input)}


def diopiComplex(a):
    return {"out": torch.complex(a.real, a.imag)}


def diopiPolar(a):
    return {"out": torch.polar(a.abs, a.angle)}
