"""Measures how long PyTorch takes for the calls of baselines/crosscheck/calls.py, in the case's own dtype on any device."""
import contextlib
import math
import time

import torch

from calls import TORCH, namespace

HOLD_CYCLES = 10_000_000  # of the device's clock: some 5 ms, longer than it takes to queue a sample's calls


def read_inputs(inputs, definition, device):
    """The files that `diopi-cli time --inputs` wrote, in the case's layouts."""
    specs = tensor_specs(definition)
    return {key: laid_out(read_tensor(entry).to(device), specs.get(key, {})) for key, entry in inputs.items()}


def tensor_specs(definition):
    """{key: specification} of all tensors among the case's arguments."""
    specs = {}
    for arg in definition.get("args", []):
        if "tensor" in arg:
            specs[arg["name"]] = arg["tensor"]
        for i, spec in enumerate(arg.get("tensors", {}).get("tensors", [])):
            specs["%s.%d" % (arg["name"], i)] = spec
    return specs


def read_tensor(entry):
    with open(entry["file"], "rb") as file:
        data = bytearray(file.read())
    dtype = TORCH[entry["dtype"]]
    if not data:
        return torch.empty(entry["shape"], dtype=dtype)
    return torch.frombuffer(data, dtype=dtype).reshape(entry["shape"]).clone()  # no view


def laid_out(tensor, spec):
    strides = [int(v) for v in spec.get("strides", [])]
    if not tensor.numel() or len(strides) != tensor.dim() or strides == list(tensor.stride()):
        return tensor
    core = tensor[tuple(slice(0, 1) if stride == 0 else slice(None) for stride in strides)]
    placed = torch.empty_strided(core.shape, strides, dtype=tensor.dtype, device=tensor.device)
    return placed.copy_(core).expand(tensor.shape)


def written(value):
    """What the ABI's function writes: a view is copied, as the ABI has no views."""
    if isinstance(value, torch.Tensor):
        return value.clone(memory_format=torch.contiguous_format) if value._is_view() else value
    return [written(item) for item in value] if isinstance(value, (list, tuple)) else value


@contextlib.contextmanager
def recorded(calls):
    """Puts gradients, optimizer steps and clipping into `calls`, to be repeated without what led to them."""
    names = [(torch.autograd, "grad"), (torch.optim.AdamW, "step"), (torch.optim.SGD, "step"),
             (torch.nn.utils, "clip_grad_norm_")]
    originals = [(owner, name, getattr(owner, name)) for owner, name in names]

    def recorder(original, more):
        def record(*args, **kwargs):
            kwargs.update(more)
            calls.append(lambda: original(*args, **kwargs))
            return calls[-1]()
        return record

    for owner, name, original in originals:
        setattr(owner, name, recorder(original, {"retain_graph": True} if name == "grad" else {}))
    try:
        yield
    finally:
        for owner, name, original in originals:
            setattr(owner, name, original)


def timed_call(function, case, inputs):
    """(the call to be timed, its marks): "v" where a view is copied."""
    a = namespace(case, inputs, TORCH[case.get("dtype", "int8")])
    calls = []
    with recorded(calls):
        results = function(a)
    if calls:
        return calls[-1], ""
    view = any(isinstance(value, torch.Tensor) and value._is_view() or
               isinstance(value, list) and any(item._is_view() for item in value) for value in results.values())
    return (lambda: [written(value) for value in function(a).values()]), "v" if view else ""


def synchronize(device):
    if device != "cpu":
        torch.cuda.synchronize()


def measure(call, device, options):
    """{microseconds: a value per sample, calls, late, clock}, as loader::CaseCaller::Time measures ours."""
    seconds = 0.0
    for _ in range(max(options.warmup, 1)):
        synchronize(device)
        start = time.perf_counter()
        call()
        synchronize(device)
        seconds = time.perf_counter() - start
    calls = min(max(math.ceil(0.01 / max(seconds, 1e-9)), 1), options.calls)
    result = {"microseconds": [], "calls": calls, "late": 0, "clock": "host" if device == "cpu" else "device"}
    begin = time.perf_counter()
    for sample in range(options.samples):
        if sample >= 3 and time.perf_counter() - begin > options.seconds:
            break
        microseconds, late = host_sample(call, calls) if device == "cpu" else device_sample(call, calls)
        result["microseconds"].append(microseconds / calls)
        result["late"] += late
    return result


def host_sample(call, calls):
    start = time.perf_counter()
    for _ in range(calls):
        call()
    return (time.perf_counter() - start) * 1e6, 0


def device_sample(call, calls):
    start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    torch.cuda.synchronize()
    torch.cuda._sleep(HOLD_CYCLES)
    start.record()
    for _ in range(calls):
        call()
    late = start.query()
    stop.record()
    stop.synchronize()
    return start.elapsed_time(stop) * 1e3, int(late)
