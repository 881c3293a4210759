"""Reads the public harness's case configuration (diopi_configs.py) as data: parsed with ast, never executed.

    read_configs.py NAME FILE OUT

Expands like the harness: a case for each name, each shape (with the parameters of the same position)
and each dtype. Writes OUT, one record per line, tab-separated, text escaped as in C:
    note    LINE  KEY  WHAT                    a field of a configuration without a meaning here
    skip    LINE  KEY  NAME  FUNCTIONS  CASES  REASON  DETAIL
                                               that many cases are not imported; NAME may be empty
    case    LINE  KEY  NAME  INDEX  FUNCTIONS  DTYPES  POINT
                                               a case for each of DTYPES. NAME: the harness's function; FUNCTIONS: the
                                               ABI's that it calls, or nothing; POINT: a diopi.v1.Point, as text
NAME is FILE's in messages. Exits with 2, with the reason on standard error, when FILE is not Python or has no
`diopi_configs`.
"""

DEFAULT_DTYPES = ["float16", "float32", "float64", "int32", "int64"]  # of the harness
LIMITS = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}
LIMITS.update({f"uint{bits}": (0, 2**bits - 1) for bits in (8, 16, 32, 64)})
# The keys that determine the cases. The others determine how the harness calls and judges, which our operator files
# do themselves.
CARRIED = {"name", "dtype", "para", "tensor_para", "gen_fn", "gen_policy"}
KNOWN_TENSOR_PARA = {"args", "dtype", "gen_fn", "gen_policy", "seq_name"}
KNOWN_ARG = {
    "ins", "shape", "dtype", "gen_fn", "gen_policy", "gen_num_range", "value", "stride", "no_contiguous", "sparse",
}
MAX_CASES = 1_000_000  # of a file: names, shapes and dtypes multiply
MAX_LIST = 1024  # tensors in a list
MAX_ELEMENTS = 2**40  # terabytes, which no machine has; their bytes still fit int64
INT64 = range(-(2**63), 2**63)
NORMAL = ("randn", "randn_int", "randn_complx")  # numpy drops the imaginary part, as there is no complex dtype

# Reasons for the table.
UNKNOWN = "the suite cannot represent such a value, shape or generator"
LENGTHS = "lists of different lengths"
SPARSE = "the importer makes dense tensors only"


def numeric(node, what):
    value = literal(node, what)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused(f"{what} is not a number: {text_of(node)}", node, UNKNOWN)
    return value


def names_of(node, what):
    """A list of texts; a lone text counts as one."""
    value = literal(node, what)
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(n, str) and n for n in names):
        raise Refused(f"{what} is not a list of names: {text_of(node)}", node, UNKNOWN)
    return list(names)


def dtype(node):
    name = dtype_of(node)
    if name is None:
        raise Refused(f"unknown dtype: {text_of(node)}", node, UNKNOWN)
    return name


def number(value):
    return repr(value) if isinstance(value, float) else str(value)


def attribute(name, value):
    head = f"attr {{ name: {quoted(name)} "
    if value is None:
        return head + "null: true }"
    if isinstance(value, bool):
        return head + f"b: {'true' if value else 'false'} }}"
    if isinstance(value, int) and value in INT64:
        return head + f"i: {value} }}"
    if isinstance(value, float):
        return head + f"f: {number(value)} }}"
    if isinstance(value, str) and not isinstance(value, DtypeName):
        return head + f"s: {quoted(value)} }}"
    if isinstance(value, (list, tuple)) and all(type(v) is int and v in INT64 for v in value):
        return head + f"sizes {{ values: {list(value)} }} }}"
    shown = "such a number" if isinstance(value, int) else f"{value!r:.60}"
    raise Refused(f"{name}: no attribute can hold {shown}", None, UNKNOWN)


class Generator:
    """A gen_fn: one of numpy's distributions, with its limits."""

    def __init__(self, node):
        self.node = node
        self.low = self.high = None
        spec = node
        if not isinstance(node, (ast.Constant, ast.Attribute, ast.Name)):
            settings = table(node, "gen_fn")
            spec = settings.pop("fn", None)
            if "low" in settings:
                self.low = numeric(settings.pop("low"), "low")
            if "high" in settings:
                self.high = numeric(settings.pop("high"), "high")
            if settings:
                spec = None  # other settings: no fill of ours
        text = isinstance(spec, ast.Constant) and isinstance(spec.value, str)
        self.name = spec.value.rsplit(".", 1)[-1] if text else dotted(spec)

    def fill(self, dtype):
        """As our fill. numpy casts a number to bool as true: nearly all of them would be."""
        limits = LIMITS.get(dtype)
        whole = self.whole(dtype)
        if whole is not None:
            return f"fill {{ integers {{ low: {whole[0]} high: {whole[1] - 1} }} }}"
        if self.name in ("zeros", "ones", "empty"):
            return f"fill {{ constant {{ value: {int(self.name == 'ones')} }} }}"
        if self.name == "mask":
            return "fill { bernoulli { p: 0.5 } }"
        if dtype == "bool" and self.name in NORMAL + ("rand", "positive", "randint", "uniform"):
            return ""
        if self.name in NORMAL:
            return "fill { normal {} }"
        if self.name in ("rand", "positive"):
            low, high = (0, 1) if self.name == "rand" else (0, 2) if limits else (0.1, 2)
            return f"fill {{ uniform {{ low: {low} high: {high} }} }}"
        if self.name != "uniform" or not self.range(dtype)[0] < self.range(dtype)[1]:
            raise Refused(f"no fill corresponds to gen_fn {text_of(self.node)}", self.node, UNKNOWN)
        low, high = self.range(dtype)
        return f"fill {{ uniform {{ low: {number(low)} high: {number(high)} }} }}"

    def range(self, dtype):
        low, high = self.low or 0, 10 if self.high is None else self.high
        limits = LIMITS.get(dtype)
        return (max(low, limits[0]), min(high, limits[1] + 1)) if limits else (low, high)

    def whole(self, dtype):
        """The range (the end not in it) of whole numbers; None for another distribution."""
        # randn_int is randint for int32, of all dtypes: it compares the dtype with "i".
        if dtype == "bool" or (self.name != "randint" and (self.name, dtype) != ("randn_int", "int32")):
            return None
        low, high = self.range(dtype)
        is_range = isinstance(low, int) and isinstance(high, int) and low in INT64 and high - 1 in INT64
        return (low, high) if is_range and low < high else None


def sizes_of(node, shape, most=MAX_ELEMENTS):
    shape = [shape] if type(shape) is int else shape
    whole = isinstance(shape, (list, tuple)) and all(type(n) is int and n >= 0 and n in INT64 for n in shape)
    if not whole:
        raise Refused(f"not a shape: {text_of(node)}", node, UNKNOWN)
    if math.prod(shape) > most:
        raise Refused(f"more elements than a tensor can have: {text_of(node)}", node, UNKNOWN)
    return list(shape)


class Argument:
    """One entry of tensor_para's args."""

    def __init__(self, node, defaults):
        entry = table(node, "an entry of args")
        self.unknown = [(name, entry[name]) for name in sorted(set(entry) - KNOWN_ARG)]
        self.names = names_of(entry["ins"], "ins") if "ins" in entry else ["input"]
        given = entry.get("dtype", defaults.get("dtype"))
        self.dtypes = [dtype(each) for each in items(given, "dtype")] if given is not None else DEFAULT_DTYPES
        self.generator = Generator(entry.get("gen_fn", defaults.get("gen_fn", ast.Constant("randn"))))
        self.policy = literal(entry.get("gen_policy", defaults.get("gen_policy", ast.Constant(""))), "gen_policy")
        self.range = literal(entry.get("gen_num_range", ast.List([])), "gen_num_range")
        self.values = items(entry["value"], "value") if "value" in entry else None
        self.shapes = items(entry["shape"], "shape") if "shape" in entry else None
        self.strides = items(entry["stride"], "stride") if "stride" in entry else []
        self.reversed = bool(literal(entry.get("no_contiguous", ast.Constant(False)), "no_contiguous"))
        self.sparse = len(items(entry["sparse"], "sparse")) if "sparse" in entry else 0
        if self.shapes is None and self.values is None:
            raise Refused("an entry of args has neither shape nor value", node, UNKNOWN)

    def nodes(self):
        return self.values if self.values is not None else self.shapes

    def node(self, j):
        return self.nodes()[j if len(self.nodes()) > 1 else 0]

    def dtype(self, i):
        return self.dtypes[i if len(self.dtypes) > 1 else 0]

    def tensor(self, j, dtype):
        """The harness's argument of case j: a tensor, a list of them, or none."""
        node = self.node(j)
        shape = literal(node, "shape" if self.values is None else "value")
        if shape is None:
            return None
        if self.values is not None:
            flat, shape = flatten(shape, node)
            fill = f"fill {{ values {{ values: [{', '.join(number(v) for v in flat)}] }} }}"
            return Tensor(shape, dtype, fill, None, flat)
        if self.generator.name == "sym_mat":
            return positive_definite(sizes_of(node, shape), dtype, node)
        fill = self.generator.fill(dtype)
        if self.policy == "gen_tensor_list":
            count = self.range[1] - (self.range[0] < self.range[1])  # the most that it draws
            if count > MAX_LIST:
                raise Refused(f"a list of more than {MAX_LIST} tensors", node, UNKNOWN)
            return [Tensor(sizes_of(node, shape), dtype, fill) for _ in range(count)]
        if self.policy == "gen_tensor_list_diff_shape":
            return [Tensor(sizes_of(node, each), dtype, fill) for each in shape]
        sizes = sizes_of(node, shape)
        strides = literal(self.strides[j], "stride") if j < len(self.strides) else None
        if strides is not None and len(sizes_of(self.strides[j], strides, math.inf)) != len(sizes):
            raise Refused(f"as many strides as sizes are needed: {text_of(self.strides[j])}", self.strides[j], UNKNOWN)
        if self.reversed:  # numpy's transpose(): every dimension, the last first
            strides = [math.prod(sizes[i + 1:]) for i in reversed(range(len(sizes)))]
            sizes.reverse()
        return Tensor(sizes, dtype, fill, strides, whole=self.generator.whole(dtype))


def positive_definite(sizes, dtype, node):
    """The harness multiplies a matrix of normal numbers with its transpose. Ours are whole numbers, and 1 is added on
    the diagonal: no sum is rounded, and none of them is nearly singular."""
    if len(sizes) < 2 or not 0 < sizes[-2] <= 64 or sizes[-1] > 64:
        raise Refused(f"not a shape of symmetric matrices: {text_of(node)}", node, UNKNOWN)
    rows, columns = sizes[-2:]
    values = []
    for matrix in range(min(math.prod(sizes[:-2]), 8) or 1):
        factor = [[((i * columns + j + 7 * matrix + 1) ** 2 * 31 + i) % 5 - 2 for j in range(columns)]
                  for i in range(rows)]
        for i in range(rows):
            values += [sum(x * y for x, y in zip(factor[i], factor[j])) + (i == j) for j in range(rows)]
    return Tensor(sizes[:-1] + [rows], dtype, f"fill {{ values {{ values: {values} }} }}")


def flatten(value, node):
    if isinstance(value, int) and value not in INT64:
        raise Refused(f"beyond int64: {text_of(node)}", node, UNKNOWN)
    if isinstance(value, bool) or isinstance(value, (int, float)):
        return [float(value) if isinstance(value, float) else int(value)], []
    if not isinstance(value, (list, tuple)):
        raise Refused(f"not values of a tensor: {text_of(node)}", node, UNKNOWN)
    parts = [flatten(v, node) for v in value]
    if any(shape != parts[0][1] for _, shape in parts):
        raise Refused("values of a tensor in rows of different lengths", node, UNKNOWN)
    return [v for flat, _ in parts for v in flat], [len(parts)] + (parts[0][1] if parts else [])


def tensor_text(name, tensor, explicit):
    """One argument as the point's `in`, with its dtype where that is not the case's."""
    layout = f" layout {{ kind: explicit strides: {list(tensor.strides)} }}" if tensor.strides is not None else ""
    own = f' dtype: "{tensor.dtype}"' if explicit and tensor.dtype else ""
    return f"in {{ name: {quoted(name)} shape: {tensor.shape}{own} {tensor.fill}{layout} }}"


def null_text(name):
    return f"in {{ name: {quoted(name)} null: true }}"


def length_of(lists, node, what):
    """How many of these lists' elements the harness takes: the first decides, one element stands for any number."""
    long = [len(each) for each in lists if len(each) != 1]
    count = len(lists[0]) if len(lists[0]) != 1 else (long or [1])[-1]
    if any(n < count for n in long):
        raise Refused(f"{what}: {LENGTHS}: {sorted(set(long))}", node, LENGTHS)
    return count


class Configuration:
    """One entry of diopi_configs: names x shapes (with their parameters) x dtypes."""

    def __init__(self, key, node):
        self.key = key
        entry = table(node, "the configuration")
        if "name" not in entry:
            raise Refused("it has no name", node, UNKNOWN)
        self.names = names_of(entry["name"], "name")
        self.para = {k: items(v, k) for k, v in table(entry.get("para", ast.Dict([], [])), "para").items()}
        tensors = table(entry.get("tensor_para", ast.Dict([], [])), "tensor_para")
        defaults = {k: tensors.get(k, entry.get(k)) for k in ("dtype", "gen_fn", "gen_policy")}
        defaults = {k: v for k, v in defaults.items() if v is not None}
        self.arguments = [Argument(each, defaults) for each in items(tensors.get("args", ast.List([])), "args")]
        self.notes = [(name, entry[name]) for name in sorted(set(entry) - CARRIED)]
        self.notes += [(f"tensor_para.{name}", tensors[name]) for name in sorted(set(tensors) - KNOWN_TENSOR_PARA)]
        self.notes += [(f"args.{name}", at) for argument in self.arguments for name, at in argument.unknown]
        self.count = self.dtype_count = 1
        if self.arguments:
            self.count = length_of([a.nodes() for a in self.arguments], node, "shape")
            self.dtype_count = length_of([a.dtypes for a in self.arguments], node, "dtype")
        lengths = {len(v) for v in self.para.values()} | ({self.count} if self.arguments else set())
        if len(lengths) > 1:
            raise Refused(f"{LENGTHS}: {sorted(lengths)}", node, LENGTHS)
        self.count = lengths.pop() if lengths else 0
        if self.count == 0:
            raise Refused("it has no case", node, UNKNOWN)
        self.sparse = math.prod(a.sparse ** len(a.names) for a in self.arguments if a.sparse)

    def line(self, j):
        for argument in self.arguments:
            return argument.node(j).lineno
        for values in self.para.values():
            return values[j].lineno
        return 0

    def lead(self, call):
        """The entry whose dtype is the case's."""
        named = [a for a in self.arguments if call.lead in a.names]
        return (named or self.arguments or [None])[0]

    def arguments_of(self, call, j, i):
        """(arguments, changes) of the call for shape j and dtype i."""
        args = dict(call.given)
        for argument in self.arguments:
            for each in argument.names:
                args[each] = argument.tensor(j, argument.dtype(i))
        for each, values in self.para.items():
            args[each] = literal(values[j], each)
        return args, (call.prepare(args) if call.prepare else None) or {}

    def point(self, name, j, i):
        """(dtype, functions, text) of one case of the function `name`."""
        call = CALLS.get(name, Call())
        try:
            args, changes = self.arguments_of(call, j, i)
        except (KeyError, IndexError, TypeError, ValueError, AttributeError, ArithmeticError) as error:
            raise Refused(f"{name} does not take these arguments: {error!r:.80}", None, UNKNOWN) from error
        lead = self.lead(call)
        own = {each for a in self.arguments for each in a.names}
        # Also a bool beside bool: a rule may have another dtype, that of indices for a mask.
        explicit = {each for a in self.arguments for each in a.names
                    if a.dtypes != lead.dtypes or "dtype" in changes or (a is not lead and a.dtype(i) == "bool")}
        parts = []
        for each, value in args.items():
            ours = call.names.get(each, each)
            if ours is None:
                continue
            if value is None and each in own:
                parts.append(null_text(ours))
            elif isinstance(value, list) and any(isinstance(one, Tensor) for one in value):
                own_dtype = each in explicit or each not in own
                parts += [tensor_text(ours, one, own_dtype) if one else null_text(ours) for one in value]
            elif isinstance(value, Tensor):
                parts.append(tensor_text(ours, value, each in explicit or each not in own))
            else:
                parts.append(attribute(ours, value))
        dtype = changes.get("dtype") or (lead.dtype(i) if lead else "float32")
        return dtype, ",".join(changes.get("functions", call.functions)), " ".join(parts)

    def groups(self, name, j):
        """Of the cases of shape j {(functions, text): dtypes}, as those that differ in the dtype alone go together, and
        {(line, why, reason): how many} that are refused."""
        groups, refused = {}, {}
        for i in range(self.dtype_count):
            try:
                dtype, functions, text = self.point(name, j, i)
                groups.setdefault((functions, text), []).append(dtype)
            except Refused as error:
                told = (error.line or self.line(j), str(error), error.reason)
                refused[told] = refused.get(told, 0) + 1
        return groups, refused


def escape(text):
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def read(name, path, out):
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), name)  # bytes: Python's own rules for the encoding

    def write(kind, line, *rest):
        out.write("\t".join([kind, str(line)] + [escape(str(r)) for r in rest]) + "\n")

    def tell(node, key, why, reason=UNREADABLE, name="", cases=0):
        functions = ",".join(CALLS.get(name, Call()).functions)
        write("skip", node if isinstance(node, int) else node.lineno, key, name, functions, cases, reason, why)

    found = find_table(tree, "diopi_configs", tell)
    if found is None:
        raise Refused("no `diopi_configs = {...}` in it")
    total = 0
    for key, node in entries_of(found, "diopi_configs", tell).items():
        try:
            config = Configuration(key, node)
        except Refused as error:
            tell(error.line or node.lineno, key, error, error.reason)
            continue
        except RecursionError:
            tell(node, key, "nested too deep")
            continue
        for name, dropped in config.notes:
            write("note", dropped.lineno, key, name)
        total += config.count * config.dtype_count * len(config.names)
        if total > MAX_CASES:
            raise Refused(f"more than {MAX_CASES} cases", node)
        for name in config.names:
            cases(config, name, write, tell)


def cases(config, name, write, tell):
    line = config.line(0)
    if config.sparse != 1:
        return tell(line, config.key, name, SPARSE, name, config.count * config.dtype_count * config.sparse)
    for j in range(config.count):
        try:
            groups, refused = config.groups(name, j)
        except RecursionError:
            tell(config.line(j), config.key, f"case {j}: nested too deep", UNREADABLE, name, config.dtype_count)
            continue
        for (functions, text), group in groups.items():
            write("case", config.line(j), config.key, name, j, functions, ",".join(group), text)
        for (at, why, reason), count in refused.items():
            tell(at, config.key, f"case {j}: {why}", reason, name, count)
    return None


def main():
    main.reading, path, out_path = sys.argv[1:]
    with open(out_path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
        read(main.reading, path, out)


run(main)
