"""CARAFE's plain form by PyTorch's unfold; gradients are autograd's."""
from carafe_windows import gradients, result

NO_KERNEL = True


def diopiCarafeNaiveMmcv(a):
    return result(a)


def diopiCarafeNaiveBackwardMmcv(a):
    return gradients(a, a.features)


for function in (diopiCarafeNaiveMmcv, diopiCarafeNaiveBackwardMmcv):
    function.not_timed = "composed of several calls: PyTorch has no such operator"
