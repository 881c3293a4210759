"""CARAFE by PyTorch's unfold; gradients are autograd's."""
from carafe_windows import gradients, result

NO_KERNEL = True


def diopiCarafeMmcv(a):
    return result(a)


def diopiCarafeBackwardMmcv(a):
    return gradients(a, a.rfeatures.permute(0, 3, 1, 2))


for function in (diopiCarafeMmcv, diopiCarafeBackwardMmcv):
    function.not_timed = "composed of several calls: PyTorch has no such operator"
