"""Shared by the importers: reads the public harness's Python files as data, and knows how its functions call the ABI.

read_configs.py (cases) and ../../client/profile/import/import_profile.py (device profiles) are embedded behind this
file. A file is parsed with ast, never executed. run() is the main program of both.
"""

import ast
import math
import resource
import sys

DTYPES = {
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
    "bfloat16", "bool", "complex64", "complex128",
}
# numpy's and the harness's names of a dtype.
DTYPE_ALIASES = {"bool_": "bool", "half": "float16", "single": "float32", "float": "float32", "double": "float64",
                 "int": "int32", "long": "int64"}
UNREADABLE = "it cannot be read without running the file"
INVALID = "PyTorch does not take these arguments: the harness has no result for them"
ROUNDED = "the oracle rounds results, not operands"
FREE = "the definition does not determine the result"
COMPLEX = "the suite has this function for real numbers only"
CHANCE = "random values determine the shape"


MEMORY = 2 << 30  # bytes of address space
SECONDS = 60  # of a processor
WRITTEN = 256 << 20  # bytes of a file
# The exit statuses of all programs (cases/base/exit_code.h); 1 is Python's own, for a defect of ours.
BAD_INPUT = 2
ENVIRONMENT = 4


class Missing(Exception):
    """Something that has to be installed."""


def run(main):
    """Exits with the status of main(), within the limits. What main raises about its input is an error message; whatever
    names no file in it gets the name of main.reading."""
    for what, limit in ((resource.RLIMIT_AS, MEMORY), (resource.RLIMIT_CPU, SECONDS), (resource.RLIMIT_FSIZE, WRITTEN),
                        (resource.RLIMIT_CORE, 0)):
        resource.setrlimit(what, (limit, limit))
    for stream in (sys.stdout, sys.stderr):  # any locale, any path
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    try:
        sys.exit(main())
    except SyntaxError as error:
        why, status = f":{error.lineno or 1}: no Python: {error.msg}", BAD_INPUT
    except Refused as error:
        why, status = f"{':' + str(error.line) if error.line else ''}: {error}", BAD_INPUT
    except RecursionError:
        why, status = ": cannot be read: nested too deep", BAD_INPUT
    except MemoryError:
        why, status = f": cannot be read: nested too deep, or it takes more than {MEMORY >> 20} MiB", BAD_INPUT
    except Missing as error:
        why, status = f": cannot be read: {error}", ENVIRONMENT
    except (OSError, ValueError) as error:
        why, status = f": cannot be read: {error}", BAD_INPUT
    print(main.reading + why, file=sys.stderr)
    sys.exit(status)


class Refused(Exception):
    """Why something cannot be imported. `reason`: the same without details, for a table."""

    def __init__(self, why, node=None, reason=None):
        super().__init__(why)
        self.line = getattr(node, "lineno", 0)
        self.reason = reason or why.split(": ")[0]


def printable(text):
    return "".join(c if c.isprintable() else "?" for c in text)


def text_of(node):
    """An expression as text for a report."""
    try:
        text = printable(ast.unparse(node).split("\n")[0])
    except (RecursionError, ValueError):  # nested too deep, or a number of thousands of digits
        return "an expression that cannot be shown"
    return text if len(text) <= 60 else text[:60] + "..."


def dotted(node):
    """np.float32 as "float32"; None for another expression."""
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else None


def is_dict_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict"


def table(node, what, tell=None):
    """dict(...) and {...} as {key: node}. Of two with one name Python takes the later, which `tell` reports."""
    if isinstance(node, ast.Dict):
        pairs = [(k.value if isinstance(k, ast.Constant) else None, v) for k, v in zip(node.keys, node.values)]
    elif is_dict_call(node) and not node.args:
        pairs = [(k.arg, k.value) for k in node.keywords]
    else:
        raise Refused(f"{what} is not a dictionary of literals: {text_of(node)}", node, UNREADABLE)
    entries = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise Refused(f"{what} has a key that cannot be read without running the file", value, UNREADABLE)
        if key in entries and tell:
            tell(entries[key], f"{what}: {key}", f"it is there again in line {value.lineno}", "it is there again")
        entries[key] = value
    return entries


def entries_of(node, what, tell):
    """(key, node) of the entries of the file's dictionary; calls tell(node, name, why, reason) for anything else."""
    if isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values))
    elif is_dict_call(node):
        for argument in node.args:
            tell(argument, text_of(argument), UNREADABLE)
        pairs = [(k.arg and ast.Constant(k.arg), k.value) for k in node.keywords]
    else:
        raise Refused(f"{what} is not a dictionary literal", node, UNREADABLE)
    entries = {}
    for key, value in pairs:
        if not isinstance(key, ast.Constant):
            tell(value, text_of(key or value), "its name cannot be read without running the file", UNREADABLE)
            continue
        name = str(key.value)
        if name in entries:
            tell(entries[name], name, f"it is there again in line {value.lineno}", "it is there again")
        entries[name] = value
    return entries


def assigned(statement):
    """The name that `name = ...`, with or without a type, assigns to."""
    targets = statement.targets if isinstance(statement, ast.Assign) else []
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        targets = [statement.target]
    return targets[0].id if len(targets) == 1 and isinstance(targets[0], ast.Name) else None


def find_table(tree, name, tell, knows=lambda statement: False):
    """What the file assigns to `name` last, or None. Reports all other statements except imports and strings."""
    found = []
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if assigned(node) == name:
            found.append(node)
        elif not is_text and not isinstance(node, (ast.Import, ast.ImportFrom)) and not knows(node):
            tell(node, text_of(node), "code that would have to be run", UNREADABLE)
    for node in found[:-1]:
        tell(node, name, f"it is assigned again in line {found[-1].lineno}", "it is there again")
    return found[-1].value if found else None


class DtypeName(str):
    """np.float32 where a value stands: no attribute of the ABI, but a `prepare` may want it."""


def items(node, what):
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    raise Refused(f"{what} is not a list of literals: {text_of(node)}", node, UNREADABLE)


def literal(node, what):
    """The value of an expression of literals; float("inf"), -np.inf, bool(3), slice(0, 3) and np.int8 count as such."""
    if isinstance(node, (ast.List, ast.Tuple)):
        values = [literal(each, what) for each in node.elts]
        return tuple(values) if isinstance(node, ast.Tuple) else values
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = literal(node.operand, what)
        if isinstance(value, (int, float)):
            return -value if isinstance(node.op, ast.USub) else +value
    if isinstance(node, ast.Constant) and isinstance(node.value, (bool, int, float, str, type(None))):
        return node.value
    try:
        if isinstance(node, ast.Call) and dotted(node.func) in ("float", "int", "bool") and len(node.args) == 1:
            return {"float": float, "int": int, "bool": bool}[dotted(node.func)](literal(node.args[0], what))
        if isinstance(node, ast.Call) and dotted(node.func) == "slice" and not node.keywords:
            return slice(*(literal(each, what) for each in node.args))
    except (ValueError, TypeError, OverflowError):
        pass
    if dotted(node) in ("inf", "nan"):
        return float(dotted(node))
    if isinstance(node, ast.Attribute) and dtype_of(node):
        return DtypeName(dtype_of(node))
    raise Refused(f"{what} is not a literal: {text_of(node)}", node, UNREADABLE)


def dtype_of(node):
    """float16 of np.float16, Dtype.float16 and "float16"; None when it is none."""
    name = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else dotted(node)
    name = DTYPE_ALIASES.get(name, name)
    return name if name in DTYPES else None


def quoted(text):
    """A string as text format writes it: bytes that are not printable ASCII in octal."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in text.encode("utf-8", "replace"))
    return '"' + "".join(plain) + '"'


# How the harness's functions call the ABI.


class Tensor:
    """A tensor argument of one case."""

    def __init__(self, shape, dtype="", fill="", strides=None, values=None, whole=None):
        self.shape, self.dtype, self.fill, self.strides = list(shape), dtype, fill, strides
        self.values = values  # where the file gives them
        self.whole = whole  # the range (the end not in it) that whole numbers are drawn from, where there is one

    def count(self):
        return math.prod(self.shape)


class Call:
    """How one function of the harness calls the ABI.

    functions: the ABI's functions, where not all of the operator that has the function's name.
    names:     the ABI's name of an argument, where it is another; None: an argument that the ABI does not have.
    given:     arguments that the harness fills in when a configuration does not.
    prepare:   changes the arguments (by the harness's names) as the harness does before it calls the ABI; may return
               {"dtype": the case's, "functions": those that take it} where these are not as below.
    lead:      the tensor whose dtype is the case's.
    """

    def __init__(self, functions=(), names=None, given=None, prepare=None, lead="input"):
        self.functions = tuple(functions)
        self.names = names or {}
        self.given = given or {}
        self.prepare = prepare
        self.lead = lead


def broadcast(shapes):
    rank = max(map(len, shapes))
    wide = [[1] * (rank - len(shape)) + shape for shape in shapes]
    return [max(sizes) if 0 not in sizes else 0 for sizes in zip(*wide)]


def is_integral(dtype):
    return dtype == "bool" or "int" in dtype


def is_narrower(dtype, other):
    bits = [0 if is_integral(each) else int(each.strip("bfloat")) for each in (dtype, other)]
    return 0 < bits[0] < bits[1]


def no_negative(tensor, dtype):
    """A negative number converted to an unsigned integer is undefined: magnitudes of about the same size instead."""
    if tensor.dtype and not is_integral(tensor.dtype) and dtype.startswith("uint") and "normal" in tensor.fill:
        tensor.fill = "fill { uniform { low: 0 high: 3 } }"


def conversion(source, result):
    return lambda args: no_negative(args[source], args[result].dtype)


def promoted(tensor, number):
    """PyTorch's dtype for a tensor and a number."""
    if isinstance(number, float) and is_integral(tensor.dtype):
        return "float32"
    return "int64" if tensor.dtype == "bool" and not isinstance(number, bool) else tensor.dtype


def spread(dims, *names):
    """One number stands for all dimensions."""

    def prepare(args):
        for name in names:
            if type(args.get(name)) is int:
                args[name] = [args[name]] * dims

    return prepare


def convolution(dims):
    def prepare(args):
        spread(dims, "stride", "padding", "dilation", "output_padding")(args)
        if isinstance(args.get("bias"), Tensor):
            args["bias_sizes"] = args["bias"].shape

    return prepare


def pooling(dims):
    def prepare(args):
        if args["stride"] is None:
            args["stride"] = args["kernel_size"]
        spread(dims, "kernel_size", "stride", "padding", "dilation")(args)

    return prepare


def adaptive_pooling(dims):
    def prepare(args):
        spread(dims, "output_size")(args)
        sizes = args["input"].shape[-dims:]
        args["output_size"] = [size if want is None else want for want, size in zip(args["output_size"], sizes)]

    return prepare


def pooling_by_mode(dims):
    """The gradient of a maximum needs the indices of another call."""

    def prepare(args):
        pooling(dims)(args)
        adaptive_pooling(dims)(args)
        args["exclusive"] = not args.pop("count_include_pad")
        return {"functions": [f"diopiPool{dims}d"]} if args["mode"] == "max" else None

    return prepare


def embedding(args):
    rows = args["weight"].shape[0]
    padding = args["padding_idx"]
    args["padding_idx"] = -1 if padding is None else padding + rows if padding < 0 else padding
    args["num_weights"] = rows
    if args["max_norm"] is None:
        del args["max_norm"], args["norm_type"]
    else:
        weight = args["weight"]
        args["inout"] = Tensor(weight.shape, "", weight.fill, weight.strides)


def interpolate(args):
    shape = args["input"].shape
    size, scale = args.pop("size"), args.pop("scale_factor")
    dims = len(shape) - 2
    if size is None:
        scales = scale if isinstance(scale, (list, tuple)) else [scale] * dims
        size = [int(s * n) for s, n in zip(scales, shape[2:])]
    args["size"] = list(size) if isinstance(size, (list, tuple)) else [size] * dims
    args["in_size"] = shape
    nearest = args["mode"] == "nearest"
    if nearest:
        del args["mode"], args["align_corners"]
    elif args["align_corners"] is None:
        args["align_corners"] = False
    name = "diopiUpsampleNearest" if nearest else "diopiUpsampleLinear"
    return {"functions": [name, name + "Backward"]}


def index_put(args):
    for name in ("indices2", "indices3"):
        if args.get(name, 0) is None:
            del args[name]
    indices = [args[name] for name in ("indices1", "indices2", "indices3") if args.get(name)]
    if any(each.dtype != "bool" or each.values is None for each in indices):
        return
    count = max(sum(map(bool, each.values)) for each in indices)
    result = [count] + args["input"].shape[sum(len(each.shape) for each in indices):]
    if broadcast([result, args["values"].shape]) != result:
        raise Refused(f"values of shape {args['values'].shape} for {result}", None, INVALID)


def index(args):
    """None is an ellipsis, as many null indices as it stands for. What a mask picks is given, as the shape of the
    gradient depends on it."""
    input = args["input"]
    given = [args.pop(name) for name in list(args) if name != "input"]
    at, indices = None, []
    for position, each in enumerate(given):
        if each is None:
            at = position if at is None else at
            continue
        if at is not None and None not in indices:
            indices += [None] * (len(input.shape) - len(each.shape) - len(indices))
        indices.append(each)
    args["indices"] = indices
    shapes, places, dim = [], [], 0
    for each in indices:
        is_mask = each is not None and each.dtype in ("bool", "uint8")
        dims = len(each.shape) if is_mask else 1
        if is_mask:
            picked = [int(i % 7 in (0, 2, 3)) for i in range(min(each.count(), 7))]
            each.fill = f"fill {{ values {{ values: {picked or [0]} }} }}"
            shapes.append([sum(picked[i % 7] for i in range(each.count()))])
        elif each is not None:
            shapes.append(each.shape)
        if each is not None:
            places += range(dim, dim + dims)
        dim += dims
    picked = broadcast(shapes)
    adjacent = places == list(range(places[0], places[-1] + 1))
    before = places[0] if adjacent else 0
    rest = [size for i, size in enumerate(input.shape) if i not in places]
    if not is_integral(input.dtype):
        args["zeros_like_input"] = Tensor(input.shape, "", "fill { constant { value: 0 } }")
        args["grad_output"] = Tensor(rest[:before] + picked + rest[before:])


def index_select(args):
    args["input_sizes"] = args["input"].shape


def expand(args):
    shape, size = args["input"].shape, list(args.pop("size"))
    for i in range(1, len(shape) + 1):
        if i <= len(size) and size[-i] == -1:
            size[-i] = shape[-i]
    args["out"] = Tensor(size)


def slice_op(args):
    index = args.pop("index")
    args["start"], args["end"], args["step"] = index.start, index.stop, index.step


def one_hot(args):
    """-1 is one more than the largest class. The output has as many: the classes are given, the largest first."""
    input = args["input"]
    if args["num_classes"] != -1:
        return
    if not input.count() or not input.whole:
        raise Refused("the number of classes is random", None, CHANCE)
    low, high = input.whole
    input.fill = f"fill {{ values {{ values: {[high - 1] + list(range(low, high - 1))[:64]} }} }}"
    args["out"] = Tensor(input.shape + [high], "int64")


def remainder(args):
    """Either operand may be a number; the caller knows the dtype that PyTorch gives then, the ABI does not."""
    if args.get("self") is not None:
        args["input"] = args["self"]
    args.pop("self", None)
    input, other = args["input"], args["other"]
    if isinstance(input, Tensor) and isinstance(other, Tensor):
        dtype = "bool" if input.dtype == other.dtype == "bool" else None
        divided = is_integral(input.dtype) and is_integral(other.dtype)
    else:
        tensor, value = (input, other) if isinstance(input, Tensor) else (other, input)
        dtype = promoted(tensor, value)
        divided = is_integral(dtype)
        if dtype != tensor.dtype:
            args["out"] = Tensor(tensor.shape, dtype)
    if dtype == "bool":
        raise Refused("the remainder of bool", None, INVALID)
    zeros = other == 0
    if isinstance(other, Tensor):
        zeros = other.count() > 0 and (other.whole is None or 0 in range(*other.whole))
    if divided and zeros:
        raise Refused("integers divided by 0", None, INVALID)


def product(args):
    """The factors are converted to the result's dtype before they are multiplied."""
    dtype, keep = args.pop("dtype", None), args.pop("keepdim")
    input = args["input"]
    if dtype is not None:
        if is_narrower(dtype, input.dtype):
            raise Refused(f"factors of {input.dtype} rounded to {dtype}", None, ROUNDED)
        no_negative(input, dtype)
    if keep or dtype is not None:
        args["out"] = Tensor(reduced_shape(args, keep), dtype or "")


def vector_norm(args):
    if args.pop("dtype") is not None:
        raise Refused("a dtype of the result", None, "the suite's linalg_vec_norm has the input's dtype")


def window_views(args):
    args["input_sizes"] = args["input"].shape


def distances(args):
    mode = args["compute_mode"]
    if mode is not None:
        args["compute_mode"] = 1 if mode == "use_mm_for_euclid_dist" else 2


def bernoulli(args):
    """Without a probability for all of them the elements are probabilities."""
    if args["p"] is None:
        del args["p"]
        return {"functions": ["diopiBernoulli", "diopiBernoulliInp"]}
    args["out"] = Tensor(args.pop("input").shape)
    return {"functions": ["diopiBernoulliScalar"]}


def random_integers(args):
    args["end"] = args["end"] or None  # the harness gives no 0


def randperm(args):
    args["out"] = Tensor([args["n"]])
    return {"dtype": "int64"}


def region_cells(args):
    spread(2, "output_size")(args)
    args["pooled_height"], args["pooled_width"] = args.pop("output_size")
    args["batch_size"], args["channels"], args["height"], args["width"] = args["input"].shape


def layer_norm_gb(args):
    args["begin_norm_axis"] = len(args["input"].shape) - len(args.pop("normalized_shape"))


def triangular_solve(args):
    """The gradient of what was broadcast is a sum, which the suite does not have."""
    if args["input"].shape[:-2] != args["A"].shape[:-2]:
        return {"functions": ["diopiTriangularSolve"]}
    return None


def decomposition(args):
    rows, columns = args["input"].shape[-2:]
    if args["mode"] == "complete" and rows > columns + 1:
        raise Refused("the last columns of Q may be any basis of the rest", None, FREE)


PARTS = {"complex64": "float32", "complex128": "float64"}


def complex_of(name):
    """The result has the complex dtype whose parts have that of the argument `name`."""
    return lambda args: {"dtype": {part: whole for whole, part in PARTS.items()}[args[name].dtype]}


def part(args):
    """The harness expects a complex result, whose imaginary part nobody defines; the ABI's is real."""
    return {"dtype": PARTS[args["input"].dtype]}


def only_real(*names):
    def prepare(args):
        for name in names:
            if args[name].dtype in PARTS:
                raise Refused(args[name].dtype, None, COMPLEX)

    return prepare


def copy(args):
    only_real("input", "other")(args)
    conversion("other", "input")(args)


def ctc_loss(args):
    """The harness normalizes log_probs first, and the longest target decides the shape of the states: the lengths are
    given, the longest first."""
    probs, lengths = args["log_probs"], args["target_lengths"]
    steps, samples, classes = probs.shape
    longest = 1
    if lengths.whole:
        low, high = lengths.whole
        longest = high - 1
        lengths.fill = f"fill {{ values {{ values: {[longest] + list(range(low, longest))[:64]} }} }}"
    elif lengths.fill != "fill { constant { value: 1 } }":
        raise Refused("the length of the longest target is random", None, CHANCE)
    if probs.fill == "fill { normal {} }" and classes:
        probs.fill = f"fill {{ normal {{ mean: {-round(math.log(classes) + 0.5, 2)} }} }}"
    args["states"] = Tensor([samples, steps, 2 * longest + 1])


def split(args):
    shape, sizes, dim = args["tensor"].shape, args["split_size_or_sections"], args["dim"]
    if type(sizes) is int and sizes > 0:
        whole, rest = divmod(shape[dim], sizes)
        if whole > 4096:
            raise Refused("more than 4096 pieces")
        args["split_size_or_sections"] = [sizes] * whole + [rest] * (rest > 0)


def arange(args):
    numbers = [args[name] for name in ("start", "end", "step")]
    return {"dtype": "float32" if any(isinstance(n, float) for n in numbers) else "int64"}


def div(args):
    """The quotient of integers is float32: no integer can hold it in place."""
    input, other = args["input"], args["other"]
    integral = [isinstance(each, int) or "float" not in getattr(each, "dtype", "float") for each in (input, other)]
    if args["rounding_mode"] is None and all(integral):
        shapes = [each.shape for each in (input, other) if isinstance(each, Tensor)]
        args["out"] = Tensor(broadcast(shapes), "float32")
        return {"functions": ["diopiDiv", "diopiDivScalar"]}
    return None


def normal(args):
    size = args.pop("size", None)
    if not isinstance(args["mean"], Tensor) and not isinstance(args["std"], Tensor):
        args["out"] = Tensor(size or [])


def reduction(args, outputs=("out",)):
    """Of the functions whose `keepdim` the ABI knows only by the shape of the output."""
    if args.pop("keepdim"):
        for name in outputs:
            args[name] = Tensor(reduced_shape(args, True))


def reduced_shape(args, keep=False):
    shape, dim = args["input"].shape, args["dim"]
    dims = list(dim) if isinstance(dim, (list, tuple)) else [dim]
    reduced = {d % len(shape) for d in dims if shape and d is not None} or set(range(len(shape)))
    return [1 if i in reduced else n for i, n in enumerate(shape) if keep or i not in reduced]


def greatest(args):
    if args["dim"] is None:
        del args["dim"], args["keepdim"]
        return {"functions": ["diopiMaxAll"]}
    reduction(args, ("max", "max_indices"))
    return {"functions": ["diopiMax"]}


def sort(args):
    args["sizes"] = args["input"].shape


def softmax(args):
    if args["dim"] is None:
        args["dim"] = 0


def absolute(args):
    if args["input"].dtype == "bool":
        raise Refused("the absolute value of bool", None, INVALID)


def given_integers(values):
    return Tensor([len(values)], "int32", f"fill {{ values {{ values: {list(values)} }} }}", None, list(values))


def scaled(args, name="softmax_scale"):
    """No scale, or 0, stands for one by the root of a head's size."""
    size = args["q"].shape[-1]
    if args.get("input_layout") in ("SBH", "BSH"):
        size //= args["head_num"]
    args[name] = args[name] or 1 / math.sqrt(size)


def sequences(args):
    scaled(args)
    for name in ("cu_seqlens_q", "cu_seqlens_kv"):
        args[name] = given_integers(args[name])


def heads(args):
    scaled(args, "scale")


def heads_of_sequences(args):
    scaled(args, "scale")
    args["cum_seq_q"] = args["cum_seq_k"] = given_integers(args.pop("cu_seqlens"))
    args["max_q"] = args["max_k"] = args.pop("max_seqlen")


def hidden_keys(args):
    """With is_causal, the harness passes a mask of the keys after the query."""
    scaled(args)
    if not args["is_causal"]:
        return
    rows, columns = args.get("max_seqlen_q"), args.get("max_seqlen_kv")
    if rows is None:
        axis = args["input_layout"].index("S")
        rows, columns = args["q"].shape[axis], args["k"].shape[axis]
    rows, columns = min(rows, 2048), min(columns, 2048)
    if rows * columns > MAX_MASK:
        raise Refused(f"a mask of {rows} x {columns} elements", None, f"a mask of more than {MAX_MASK} elements")
    values = [int(j > i) for i in range(rows) for j in range(columns)]
    args["attention_mask"] = Tensor([rows, columns], "bool", f"fill {{ values {{ values: {values} }} }}", None, values)


MAX_MASK = 1 << 18
ALPHA = {"alpha": 1}
POOL = {"stride": None, "padding": 0, "ceil_mode": False}
POOL_BY_MODE = dict(POOL, kernel_size=0, dilation=1, count_include_pad=True, output_size=0, mode="avg", adaptive=False)
BY_MODE = {"kernel_size": "ksize"}
NO_INDICES = {"return_indices": None}  # the operator has functions with them and without
CONVOLUTION = {"stride": 1, "padding": 0, "dilation": 1, "groups": 1}
LOSS = {"ignore_index": -100, "reduction": "mean"}
DIMS = {"dim": None, "keepdim": False}
CUMULATIVE = {"cu_seqlens_q": "cum_seq_q", "cu_seqlens_kv": "cum_seq_kv"}
STEP = {"param_grad": "grad"}  # of an optimizer
WINDOWS = {"dilation": 1, "padding": 0, "stride": 1}

CALLS = {
    "_foreach_add": Call(names={"self": "inputs", "scalar": "other"}, lead="self"),
    "_foreach_mul": Call(names={"self": "inputs", "scalar": "other"}, lead="self"),
    "_foreach_norm": Call(names={"self": "inputs"}, given={"ord": 2}, lead="self"),
    "abs": Call(prepare=absolute),
    "adadelta": Call(names=STEP, lead="param"),
    "adam": Call(names=STEP, given={"amsgrad": False}, lead="param"),
    "adamw": Call(names=STEP, given={"amsgrad": False}, lead="param"),
    "adaptive_avg_pool1d": Call(prepare=adaptive_pooling(1)),
    "adaptive_avg_pool2d": Call(prepare=adaptive_pooling(2)),
    "adaptive_avg_pool3d": Call(prepare=adaptive_pooling(3)),
    "adaptive_max_pool1d": Call(names=NO_INDICES, prepare=adaptive_pooling(1)),
    "adaptive_max_pool2d": Call(names=NO_INDICES, prepare=adaptive_pooling(2)),
    "adaptive_max_pool3d": Call(names=NO_INDICES, prepare=adaptive_pooling(3)),
    "add": Call(given=ALPHA),
    "addcdiv": Call(given={"value": 1}),
    "addcmul": Call(given={"value": 1}),
    "all": Call(given=DIMS, prepare=reduction),
    "amax": Call(names={"input": "self"}),
    "any": Call(given=DIMS, prepare=reduction),
    "arange": Call(given={"start": 0, "step": 1}, prepare=arange),
    "argmax": Call(given=DIMS),
    "avg_pool1d": Call(given=dict(POOL, count_include_pad=True), prepare=pooling(1)),
    "avg_pool2d": Call(given=dict(POOL, count_include_pad=True, divisor_override=None), prepare=pooling(2)),
    "avg_pool3d": Call(given=dict(POOL, count_include_pad=True, divisor_override=None), prepare=pooling(3)),
    "batch_norm_backward_reduce": Call(["diopiBatchNormBackwardReduce"], names={"grad_output": "grad_out"}),
    "batch_norm_gather_stats_with_counts": Call(["diopiBatchNormGatherStatsWithCounts"],
                                                names={"count_all": "counts"}),
    "bernoulli": Call(names={"inplace": None}, given={"p": None}, prepare=bernoulli),
    "batch_norm": Call(given={"training": False, "momentum": 0.1, "eps": 1e-5}),
    "binary_cross_entropy": Call(given={"weight": None, "reduction": "mean"}),
    "binary_cross_entropy_with_logits": Call(given={"weight": None, "pos_weight": None, "reduction": "mean"}),
    "bmm": Call(["diopiBmm"]),
    "cast_dtype": Call(prepare=conversion("input", "out"), lead="out"),
    "cat": Call(given={"dim": 0}),
    "cdist": Call(names={"x1": "input1", "x2": "input2"}, given={"compute_mode": None}, prepare=distances, lead="x1"),
    "cholesky_ex": Call(names={"input": "mat", "check_errors": "checkerror"},
                        given={"upper": False, "check_errors": False}),
    "clip_grad_norm_": Call(names={"tensors": "grads"}, given={"norm_type": 2.0, "error_if_nonfinite": False}),
    "col2im": Call(given=WINDOWS, prepare=spread(2, "output_size", "kernel_size", "stride", "padding", "dilation")),
    "complex": Call(prepare=complex_of("real"), lead="real"),
    "context_attention": Call(names={"out": "context_attention_out"}, lead="q"),
    "conv2d": Call(given=CONVOLUTION, prepare=convolution(2)),
    "conv3d": Call(given=CONVOLUTION, prepare=convolution(3)),
    "conv_transpose2d": Call(given=dict(CONVOLUTION, output_padding=0), prepare=convolution(2)),
    "conv_transpose3d": Call(given=dict(CONVOLUTION, output_padding=0), prepare=convolution(3)),
    "copy_": Call(names={"input": "dest", "other": "src"}, prepare=copy),
    "cross_entropy": Call(given=dict(LOSS, label_smoothing=0.0)),
    "ctc_loss": Call(given={"blank": 0, "reduction": "mean", "zero_infinity": False}, prepare=ctc_loss,
                     lead="log_probs"),
    "customized_flash_attention": Call(prepare=hidden_keys, lead="q"),
    "customized_flash_attention_varlen": Call(names=CUMULATIVE, prepare=hidden_keys, lead="q"),
    "div": Call(given={"rounding_mode": None}, prepare=div),
    "dropout": Call(names={"training": "train"}, given={"p": 0.5, "training": True}),
    "embedding": Call(names={"input": "indices", "scale_grad_by_freq": "scale_grad_byfreq"},
                      given={"padding_idx": None, "max_norm": None, "norm_type": 2.0, "scale_grad_by_freq": False,
                             "sparse": False}, prepare=embedding, lead="weight"),
    "expand": Call(prepare=expand),
    "fill_": Call(["diopiFill"]),
    "flash_attention": Call(prepare=scaled, lead="q"),
    "flash_attention_varlen": Call(names=CUMULATIVE, prepare=sequences, lead="q"),
    "gelu": Call(given={"approximate": "none"}),
    "group_norm": Call(given={"eps": 1e-5}),
    "im2col": Call(given=WINDOWS, prepare=spread(2, "kernel_size", "stride", "padding", "dilation")),
    "imag": Call(prepare=part),
    "index": Call(prepare=index),
    "index_put": Call(names={"indices1": "indices", "indices2": "indices", "indices3": "indices"},
                      given={"accumulate": False}, prepare=index_put),
    "index_select": Call(prepare=index_select),
    "instance_norm": Call(names={"weight": "scale"}, given={"axis": 2, "eps": 1e-5}),
    "interpolate": Call(given={"size": None, "scale_factor": None, "mode": "nearest", "align_corners": False},
                        prepare=interpolate),
    "layer_norm": Call(given={"eps": 1e-5}),
    "layer_normGB": Call(given={"eps": 1e-5}, prepare=layer_norm_gb),
    "linalgqr": Call(["diopiLinalgQR"], names={"input": "A"}, prepare=decomposition),
    "log_softmax": Call(given={"dim": None}, prepare=softmax),
    "max": Call(given=DIMS, prepare=greatest),
    "max_pool1d": Call(names=NO_INDICES, given=dict(POOL, dilation=1), prepare=pooling(1)),
    "max_pool2d": Call(names=NO_INDICES, given=dict(POOL, dilation=1), prepare=pooling(2)),
    "max_pool3d": Call(names=NO_INDICES, given=dict(POOL, dilation=1), prepare=pooling(3)),
    "mean": Call(given=DIMS, prepare=reduction),
    "meshgrid": Call(names={"tensors": "inputs", "shape": None}, lead="tensors"),
    "mm": Call(["diopiMm"]),
    "multihead_attention": Call(prepare=heads, lead="q"),
    "multihead_attention_varlen": Call(prepare=heads_of_sequences, lead="q"),
    "nll_loss": Call(["diopiNLLLoss", "diopiNLLLossBackward"], given=LOSS),
    "nll_loss_v2": Call(["diopiNLLLossV2", "diopiNLLLossV2Backward"], given=LOSS),
    "nms": Call(names={"scores": "confidence"}, lead="boxes"),
    "norm": Call(given=DIMS, prepare=reduction),
    "normal": Call(["diopiNormal", "diopiNormalTensor", "diopiNormalTensorScalar", "diopiNormalScalarTensor"],
                   prepare=normal),
    "normal_": Call(["diopiNormalInp"], names={"input": "inout", "shape": None}),
    "one_hot": Call(given={"num_classes": -1}, prepare=one_hot),
    "polar": Call(prepare=complex_of("abs"), lead="abs"),
    "paged_attention": Call(names={"query": "q", "key": "k", "value": "v", "actualSeqLengths": "actual_seq_lengths",
                                   "numHeads": "num_heads", "numKeyValueHeads": "num_kv_heads",
                                   "blockTable": "block_table", "blockSize": "block_size"}, lead="query"),
    "pool1d": Call(names=BY_MODE, given=POOL_BY_MODE, prepare=pooling_by_mode(1)),
    "pool2d": Call(names=BY_MODE, given=POOL_BY_MODE, prepare=pooling_by_mode(2)),
    "pool3d": Call(names=BY_MODE, given=POOL_BY_MODE, prepare=pooling_by_mode(3)),
    "pow": Call(names={"self": "input"}),
    "prod": Call(given=DIMS, prepare=product),
    "prompt_flash_attention": Call(names={"attenMask": "atten_mask", "actualSeqLengths": "actual_seq_lengths",
                                          "maxInputLen": "max_input_len", "numHeads": "num_heads",
                                          "numKeyValueHeads": "num_kv_heads"}, lead="query"),
    "random": Call(names={"input": "inout", "start": "from", "end": "to"}, given={"start": 0, "end": None},
                   prepare=random_integers),
    "randperm": Call(prepare=randperm),
    "real": Call(prepare=part),
    "remainder": Call(prepare=remainder),
    "repeat": Call(names={"repeats": "repeats_size"}),
    "rmsprop": Call(names=dict(STEP, momentum_buffer="momentum_buf"), lead="param"),
    "roi_align": Call(names={"boxes": "rois"}, given={"spatial_scale": 1.0, "sampling_ratio": -1, "aligned": False},
                      prepare=region_cells),
    "rotary_emb": Call(names={"input": "x"}),
    "scatter": Call(given={"reduce": ""}),
    "sgd": Call(names=STEP, given={"momentum": 0, "dampening": 0, "weight_decay": 0,
                                                     "nesterov": False}, lead="param"),
    "sgn": Call(prepare=only_real("input")),
    "slice_op": Call(prepare=slice_op),
    "softmax": Call(given={"dim": None}, prepare=softmax),
    "sort": Call(given={"dim": -1, "descending": False, "stable": None}, prepare=sort),
    "split": Call(names={"tensor": "input", "split_size_or_sections": "splitSizes"}, given={"dim": 0},
                  prepare=split, lead="tensor"),
    "stack": Call(given={"dim": 0}),
    "std": Call(given=dict(DIMS, correction=1), prepare=reduction),
    "sub": Call(given=ALPHA),
    "sum": Call(given=DIMS, prepare=reduction),
    "token_attention": Call(names={"out": "token_attention_out"}, lead="q"),
    "topk": Call(given={"dim": -1, "largest": True, "sorted": True}),
    "triangular_solve": Call(names={"input": "b", "A": "mat"}, prepare=triangular_solve,
                             given={"upper": True, "transpose": False, "unitriangular": False}),
    "unfold": Call(names={"dimension": "dim"}, prepare=window_views),
    "uniform": Call(names={"input": "inout", "start": "from", "end": "to"}, given={"start": 0, "end": 1}),
    "unique": Call(names={"return_inverse": None}, given={"sorted": True, "return_counts": False, "dim": None}),
    "vector_norm": Call(["diopiLinalgVecNorm"], given=dict(DIMS, ord=2, dtype=None), prepare=vector_norm),
    "zero_": Call(["diopiZeroInp"]),
}
