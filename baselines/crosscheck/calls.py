"""Finds the PyTorch calls beside our kernels, and converts a case's arguments for them.

Each operator's call lies in baselines/ops/<family>/<operator>_crosscheck.py, as functions named like the ABI's:
`def diopiAdd(a)` takes the call's arguments as attributes and returns a dict of output name -> tensor or list of
tensors. A function with an attribute `not_timed` is no single call of PyTorch's: why, in words. In a file with
`NO_KERNEL = True`, PyTorch has none of the functions: what the file composes is not judged as PyTorch's own (native.py).

What stands in a DIOPI_UNARY line (ops/elementwise/unary.h) needs no file where PyTorch calls it by the same name.
"""
import importlib.util
import re
import sys
import types

import torch

TORCH = {
    "int8": torch.int8, "uint8": torch.uint8, "int16": torch.int16, "int32": torch.int32, "int64": torch.int64,
    "float16": torch.float16, "bfloat16": torch.bfloat16, "float32": torch.float32, "float64": torch.float64,
    "bool": torch.bool, "complex64": torch.complex64, "complex128": torch.complex128,
}


UNARY = re.compile(r"^DIOPI_UNARY(_GRAD|_INPUT_GRAD)?\((\w+),", re.MULTILINE)


def unary_call(name, out):
    """torch.NAME of the input; of integers by a.real, where the result is floating."""
    call = getattr(torch if hasattr(torch, name) else torch.ops.aten, name)

    def function(a):
        promoted = a.out_dtypes[out].is_floating_point and not a.input.is_floating_point()
        return {out: call(a.real(a.input) if promoted else a.input)}
    return function


def gradient_call(name, saved):
    """A gradient is defined on what the forward saved, its output or its input. From an output autograd would start at an
    input that gives it only approximately: PyTorch's own backward function takes the output itself."""
    call = getattr(torch.ops.aten, name + "_backward")
    return lambda a: {"grad_input": call(a.grad_output, getattr(a, saved))}


def unary_functions(root):
    """The calls of the functions in DIOPI_UNARY lines, where PyTorch has a function of that name."""
    functions = {}
    for path in sorted(root.glob("ops/*/*.cc")):
        for grad, name in UNARY.findall(path.read_text()):
            snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
            if grad:
                saved = "output" if grad == "_GRAD" else "input"
                functions["diopi%sBackward" % name] = gradient_call(snake, saved)
            elif hasattr(torch, snake) or hasattr(torch.ops.aten, snake):
                functions["diopi" + name] = unary_call(snake, "out")
                functions["diopi%sInp" % name] = unary_call(snake, "input")
    return functions


def load_functions(root, absent=None):
    """Every `diopi*` function of the ops/**/*_crosscheck.py files, by name, and those of the unary functions.

    A file that needs a module which this Python lacks is an error, or, with a list `absent`, left out and added to it.
    """
    functions = unary_functions(root)
    for path in sorted(root.glob("ops/**/*_crosscheck.py")):
        spec = importlib.util.spec_from_file_location("crosscheck_" + path.stem, path)
        module = importlib.util.module_from_spec(spec)
        sys.path.insert(0, str(path.parent))
        try:
            spec.loader.exec_module(module)
        except ModuleNotFoundError as error:
            if absent is None or not error.name:
                raise
            absent.append("%s needs Python's module %s" % (path.name, error.name))
        finally:
            sys.path.pop(0)
        for name in dir(module):
            if name.startswith("diopi"):
                functions[name] = getattr(module, name)
                functions[name].no_kernel = getattr(module, "NO_KERNEL", False)
    return functions


def takes_as_float(p):
    """Whether PyTorch's CPU kernel of norms, which makes p a float, keeps its value."""
    return torch.tensor(p, dtype=torch.float32).item() == p


def p_norm(x, p, dims=None, keepdim=False):
    if takes_as_float(p):
        return torch.linalg.vector_norm(x, p, dims, keepdim)
    return (x.abs() ** p).sum(dims or list(range(x.dim())), keepdim) ** (1 / p)


def number(value):
    return {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}.get(value, value)


def scalar(message):
    if "f" in message:
        return float(number(message["f"]))
    value = int(message.get("i", 0))
    return bool(value) if message.get("dtype") == "bool" else value


def argument(arg, inputs):
    """One argument of the case's JSON as the Python value that a PyTorch user would pass."""
    name = arg["name"]
    if "tensor" in arg:
        return inputs.get(name)
    if "tensors" in arg:
        count = len(arg["tensors"].get("tensors", []))
        return [inputs.get("%s.%d" % (name, i)) for i in range(count)]
    if "scalar" in arg:
        return scalar(arg["scalar"])
    if "sizes" in arg:
        return [int(v) for v in arg["sizes"].get("values", [])]
    if "i" in arg:
        return int(arg["i"])
    if "f" in arg:
        return float(number(arg["f"]))
    if "b" in arg:
        return bool(arg["b"])
    if "s" in arg:
        return arg["s"]
    return None


def namespace(case, inputs, floating=torch.float64):
    """What a call takes as `a`: the case's arguments by name, its tensors from `inputs`, whose floating ones are in
    `floating`."""
    values = {arg["name"]: argument(arg, inputs) for arg in case.get("args", [])}
    # What a function may need beyond the arguments: the dtypes and shapes of the outputs.
    values["floating"] = floating
    # An integer tensor as real numbers: in float64 as the oracle has it, or as PyTorch promotes it by itself.
    values.setdefault("real", torch.Tensor.double if floating == torch.float64 else lambda tensor: tensor)
    values["dtype"] = TORCH[case.get("dtype", "int8")]
    values["out_dtypes"] = {arg["name"]: TORCH.get(arg["tensor"].get("dtype", "int8"))
                            for arg in case.get("args", []) if "tensor" in arg}
    values["shapes"] = {arg["name"]: [int(v) for v in arg["tensor"].get("shape", [])]
                        for arg in case.get("args", []) if "tensor" in arg}
    return types.SimpleNamespace(**values)
