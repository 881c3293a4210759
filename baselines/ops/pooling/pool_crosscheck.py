"""pool1d, pool2d and pool3d: the operators that `mode` and `adaptive` choose, by PyTorch."""
import types

import adaptive_pool_crosscheck
import avg_pool_crosscheck
import max_pool_crosscheck

CALLS = {}
for module in (adaptive_pool_crosscheck, avg_pool_crosscheck, max_pool_crosscheck):
    CALLS.update({name: call for name, call in vars(module).items() if name.startswith("diopi")})


def pool(a, ending):
    name = "diopi%s%sPool%s" % ("Adaptive" if a.adaptive else "", a.mode.capitalize(), ending)
    return CALLS[name](types.SimpleNamespace(**vars(a), kernel_size=a.ksize, count_include_pad=not a.exclusive,
                                             divisor_override=None))


def diopiPool1d(a):
    return pool(a, "1d")


def diopiPool1dBackward(a):
    return pool(a, "1dBackward")


def diopiPool2d(a):
    return pool(a, "2d")


def diopiPool2dBackward(a):
    return pool(a, "2dBackward")


def diopiPool3d(a):
    return pool(a, "3d")


def diopiPool3dBackward(a):
    return pool(a, "3dBackward")
