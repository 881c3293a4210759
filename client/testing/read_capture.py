#!/usr/bin/env python3
"""Reads captured calls as a user does who has h5py and nothing of ours, and compares them with what tap_host passes.

usage: read_capture.py CAPTURE_FOLDER    a capture of the first step of `tap_host LIBRARY convolution`
"""

import glob
import json
import re
import sys

import h5py
import numpy

KERNEL, BIAS, IMAGES = (4, 1, 3, 3), (4,), (10, 1, 12, 12)


def numbers(state):
    """The sequence of tap_host/models.c."""
    while True:
        state = (state * 6364136223846793005 + 1442695040888963407) % 2**64
        yield numpy.float32((state >> 33) / 1073741824.0 - 1.0)


def passed_by_the_host():
    """The first call's tensors, made again in the order in which models.c makes them."""
    draw = numbers(7)

    def fill(shape, scale, offset=0):
        values = [numpy.float32(offset) + numpy.float32(scale) * next(draw) for _ in range(numpy.prod(shape))]
        return numpy.array(values, numpy.float32).reshape(shape)

    kernel, bias = fill(KERNEL, 0.4), fill(BIAS, 0.1)
    for shape, scale, offset in ((4, 0.1, 1), (4, 0.1, 0), (720, 0.1, 0), (5, 0.1, 0)):
        fill(shape, scale, offset)
    images = fill(IMAGES, 0.3)
    for i in range(10):
        images[i, 0, 2 * (i % 5) + 1] += numpy.float32(1)
    return {"input": images, "weight": kernel, "bias": bias}


def convolved(tensors):
    image = numpy.pad(tensors["input"].astype(float), ((0, 0), (0, 0), (1, 1), (1, 1)))
    windows = numpy.lib.stride_tricks.sliding_window_view(image[:, 0], (3, 3), axis=(1, 2))
    return numpy.einsum("nyxij,oij->noyx", windows, tensors["weight"][:, 0]) + tensors["bias"][:, None, None]


def open_call(folder, function):
    (path,) = glob.glob(f"{folder}/*-{function}.h5")
    call = h5py.File(path, "r")
    (case,) = [group for group in call.values() if isinstance(group, h5py.Group)]
    assert case.attrs["function"] == function, case.attrs["function"]
    return call, case


def check_convolution(folder):
    call, case = open_call(folder, "diopiConvolution2d")
    facts = r"call 1, step 0, thread \d+, stream 0x[0-9a-f]+, at [\d.]+ ms, took [\d.]+ ms, returned 0"
    assert re.fullmatch(facts, call.attrs["device"]), call.attrs["device"]
    assert call.attrs["library"].endswith(".so") and call.attrs["reference"] == "capture"
    assert case.attrs["dtype"] == "float32"
    arguments = {argument["name"]: argument for argument in json.loads(case.attrs["case"])["args"]}
    assert arguments["stride"]["sizes"]["values"] == ["1", "1"]
    assert arguments["padding"]["sizes"]["values"] == ["1", "1"]
    assert arguments["groups"]["i"] == "1"
    assert arguments["input"]["tensor"]["shape"] == ["10", "1", "12", "12"]
    expected = passed_by_the_host()
    assert sorted(case["inputs"]) == sorted(expected)
    for name, values in expected.items():
        stored = case["inputs"][name]
        assert stored.dtype == numpy.float32 and stored.attrs["dtype"] == "float32"
        assert numpy.array_equal(stored[()], values), name
    numpy.testing.assert_allclose(case["outputs/out"][()], convolved(expected), rtol=0, atol=1e-5)
    return convolved(expected)


def check_batch_norm(folder, images):
    """Tensors that are read and written are stored before and after."""
    _, case = open_call(folder, "diopiBatchNorm")
    momentum = 0.1
    assert not case["inputs/running_mean"][()].any()
    numpy.testing.assert_allclose(
        case["outputs/running_mean"][()], momentum * images.mean(axis=(0, 2, 3)), rtol=0, atol=1e-6
    )


def check_classes(folder):
    _, case = open_call(folder, "diopiCrossEntropyLoss")
    assert case["inputs/target"].dtype == numpy.int64
    assert list(case["inputs/target"]) == [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]


if __name__ == "__main__":
    check_batch_norm(sys.argv[1], check_convolution(sys.argv[1]))
    check_classes(sys.argv[1])
    print("the capture is what the host passed")
