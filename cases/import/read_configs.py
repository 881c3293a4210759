"""Reads the public harness's case configuration (diopi_configs.py) as data: parsed with ast, never executed.

    read_configs.py FILE OUT

Writes OUT, one record a line, tab-separated, text escaped as in C:
    skip    LINE  KEY  WHY                     a configuration, a case of one, or something in one, that is not
                                               carried over
    case    LINE  KEY  NAME  INDEX  POINT      NAME: the operator; POINT: a diopi.v1.Grid of one point, as text
Exits with 1, and says why on standard error, when FILE is no Python or has no `diopi_configs`.
"""

import ast
import math
import sys

DTYPES = {
    "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
    "bfloat16", "bool", "complex64", "complex128",
}
ALIASES = {"bool_": "bool", "double": "float64", "half": "float16", "float": "float32"}
# What a generator of values is as a fill of ours.
FILLS = {
    "randn": "normal {}",
    "rand": "uniform { low: 0 high: 1 }",
    "zeros": "constant { value: 0 }",
    "ones": "constant { value: 1 }",
    "positive": "uniform { low: 0.1 high: 2 }",
    "randint": None,  # with its own limits
    "uniform": None,
    "mask": "bernoulli { p: 0.5 }",
    "empty": "constant { value: 0 }",
}
CARRIED = {"name", "dtype", "para", "tensor_para"}
# How the public harness judges or calls, which our operator files say for themselves: told, and left out.
THEIRS = {
    "interface", "atol", "rtol", "atol_half", "rtol_half", "is_inplace", "saved_args", "requires_backward",
    "no_output_ref", "mismatch_ratio_threshold",
}
KNOWN_ARG = {"ins", "shape", "dtype", "gen_fn", "requires_grad", "value"}
MAX_ELEMENTS = 2**40  # terabytes: no machine has them, and their bytes still fit int64
INT64 = range(-(2**63), 2**63)


class Unknown(Exception):
    """Something that cannot be carried over: where and why."""

    def __init__(self, node, why):
        super().__init__(why)
        self.line = getattr(node, "lineno", 0)


def text_of(node):
    """An expression as a report shows it."""
    try:
        text = ast.unparse(node).split("\n")[0]
    except RecursionError:
        return "an expression too deep to be shown"
    return text if len(text) <= 60 else text[:60] + "..."


def dotted(node):
    """np.float32 as "float32"; None for another expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return None


def is_dict_call(node):
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict"


def table(node, what):
    """dict(...) and {...} as {key: node}."""
    if isinstance(node, ast.Dict):
        pairs = [(k.value if isinstance(k, ast.Constant) else None, v) for k, v in zip(node.keys, node.values)]
    elif is_dict_call(node) and not node.args:
        pairs = [(k.arg, k.value) for k in node.keywords]
    else:
        raise Unknown(node, f"{what} is not a dictionary of literals")
    entries = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise Unknown(value, f"{what} is not a dictionary of literals: a key cannot be read without running it")
        if key in entries:
            raise Unknown(value, f"{what} has {key!r} twice")
        entries[key] = value
    return entries


def items(node, what):
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    raise Unknown(node, f"{what} is not a list of literals")


def literal(node, what):
    try:
        if isinstance(node, ast.Call) and dotted(node.func) in ("float", "int", "bool") and len(node.args) == 1:
            value = literal(node.args[0], what)
            return {"float": float, "int": int, "bool": bool}[dotted(node.func)](value)
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, OverflowError, RecursionError, MemoryError):
        pass
    sign = -1 if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) else 1
    name = dotted(node.operand if sign < 0 else node)
    if name in ("inf", "nan"):
        return sign * float(name)
    raise Unknown(node, f"{what} is not a literal: {text_of(node)}")


def numeric(node, what):
    value = literal(node, what)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Unknown(node, f"{what} is no number: {text_of(node)}")
    return value


def names_of(node, what):
    """A list of texts; a lone text counts as one."""
    value = literal(node, what)
    names = [value] if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)) or not names or not all(isinstance(n, str) and n for n in names):
        raise Unknown(node, f"{what} is no list of names: {text_of(node)}")
    return list(names)


def dtype(node):
    name = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else dotted(node)
    name = ALIASES.get(name, name)
    if name not in DTYPES:
        raise Unknown(node, f"no dtype of ours: {text_of(node)}")
    return name


def dtypes(node):
    return [dtype(item) for item in items(node, "dtype")]


def quoted(text):
    """A string as text format writes it: bytes that are not printable ASCII in octal."""
    plain = (chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:03o}" for b in text.encode("utf-8", "replace"))
    return '"' + "".join(plain) + '"'


def number(value):
    return repr(value) if isinstance(value, float) else str(value)


def attribute(name, value, node):
    head = f"attr {{ name: {quoted(name)} "
    if value is None:
        return ""  # left out: the ABI's null, or the operator's default
    if isinstance(value, bool):
        return head + f"b: {'true' if value else 'false'} }}"
    if isinstance(value, int):
        if value not in INT64:
            raise Unknown(node, f"{name}: beyond int64: {text_of(node)}")
        return head + f"i: {value} }}"
    if isinstance(value, float):
        return head + f"f: {number(value)} }}"
    if isinstance(value, str):
        return head + f"s: {quoted(value)} }}"
    if isinstance(value, (list, tuple)) and all(type(v) is int and v in INT64 for v in value):
        return head + f"sizes {{ values: {list(value)} }} }}"
    raise Unknown(node, f"{name}: no attribute of ours holds {text_of(node)}")


def fill(node):
    """A gen_fn as our fill; "" for none."""
    if node is None:
        return ""
    settings = {}
    name = dotted(node)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        name = node.value.rsplit(".", 1)[-1]
    elif name is None:
        settings = table(node, "gen_fn")
        made = settings.pop("fn", None)
        if made is None:
            raise Unknown(node, "gen_fn has no fn")
        text = isinstance(made, ast.Constant) and isinstance(made.value, str)
        name = made.value.rsplit(".", 1)[-1] if text else dotted(made)
    if name in ("randint", "uniform"):
        low = numeric(settings.pop("low", ast.Constant(0)), "low")
        high = numeric(settings.pop("high", ast.Constant(10 if name == "randint" else 1)), "high")
        whole = isinstance(low, int) and isinstance(high, int) and low in INT64 and high - 1 in INT64
        if not settings and name == "uniform":
            return f"fill {{ uniform {{ low: {number(low)} high: {number(high)} }} }}"
        if not settings and whole:
            return f"fill {{ integers {{ low: {low} high: {high - 1} }} }}"
    if FILLS.get(name) is None or settings:
        raise Unknown(node, f"no fill of ours is gen_fn {text_of(node)}")
    return f"fill {{ {FILLS[name]} }}"


class Tensor:
    """One entry of tensor_para's args."""

    def __init__(self, node, default_fill, case_dtypes):
        entry = table(node, "an entry of args")
        unknown = sorted(set(entry) - KNOWN_ARG)
        if unknown:
            raise Unknown(entry[unknown[0]], f"args: {', '.join(unknown)} is not known")
        if "ins" not in entry:
            raise Unknown(node, "an entry of args has no ins")
        self.names = names_of(entry["ins"], "ins")
        self.dropped = [entry["requires_grad"]] if "requires_grad" in entry else []
        self.fill = fill(entry.get("gen_fn", default_fill))
        self.dtype = ""
        if "dtype" in entry:
            own = dtypes(entry["dtype"])
            if len(own) == 1:
                self.dtype = f'dtype: "{own[0]}" '
            elif own != case_dtypes:
                raise Unknown(entry["dtype"], "a tensor with a list of dtypes other than the configuration's")
        self.values = items(entry["value"], "value") if "value" in entry else None
        if "shape" not in entry and self.values is None:
            raise Unknown(node, "an entry of args has neither shape nor value")
        self.shapes = items(entry["shape"], "shape") if "shape" in entry else None

    def count(self):
        return len(self.shapes if self.shapes is not None else self.values)

    def text(self, index):
        values = ""
        if self.values is not None:
            node = self.values[index]
            value = literal(node, "value")
            flat, shape = flatten(value, node)
            values = f"fill {{ values {{ values: [{', '.join(number(v) for v in flat)}] }} }} "
        else:
            node = self.shapes[index]
            shape = literal(node, "shape")
        if shape is None:
            return ""  # a null tensor: left out
        sizes = isinstance(shape, (list, tuple)) and all(type(n) is int and n >= 0 and n in INT64 for n in shape)
        if not sizes:
            raise Unknown(node, f"no shape: {text_of(node)}")
        if math.prod(shape) > MAX_ELEMENTS:
            raise Unknown(node, f"more elements than a tensor can have: {text_of(node)}")
        return " ".join(
            f"in {{ name: {quoted(name)} shape: {list(shape)} {self.dtype}{values or self.fill} }}"
            for name in self.names)


def flatten(value, node):
    if isinstance(value, int) and value not in INT64:
        raise Unknown(node, f"beyond int64: {text_of(node)}")
    if isinstance(value, bool) or isinstance(value, (int, float)):
        return [float(value) if isinstance(value, float) else int(value)], []
    if not isinstance(value, (list, tuple)):
        raise Unknown(node, f"no values of a tensor: {text_of(node)}")
    parts = [flatten(v, node) for v in value]
    if any(shape != parts[0][1] for _, shape in parts):
        raise Unknown(node, "values of a tensor in rows of different lengths")
    return [v for flat, _ in parts for v in flat], [len(parts)] + (parts[0][1] if parts else [])


class Configuration:
    def __init__(self, key, node):
        self.key = key
        entry = table(node, "the configuration")
        unknown = sorted(set(entry) - CARRIED - THEIRS)
        if unknown:
            raise Unknown(entry[unknown[0]], f"{', '.join(unknown)} is not known")
        missing = sorted({"name", "dtype", "tensor_para"} - set(entry))
        if missing:
            raise Unknown(node, f"it has no {', '.join(missing)}")
        self.names = names_of(entry["name"], "name")
        self.dtypes = dtypes(entry["dtype"])
        self.para = {k: items(v, k) for k, v in table(entry.get("para", ast.Dict([], [])), "para").items()}
        tensors = table(entry["tensor_para"], "tensor_para")
        unknown = sorted(set(tensors) - {"args", "gen_fn"})
        if unknown:
            raise Unknown(entry["tensor_para"], f"tensor_para: {', '.join(unknown)} is not known")
        self.tensors = [
            Tensor(arg, tensors.get("gen_fn"), self.dtypes) for arg in items(tensors.get("args"), "args")
        ]
        self.dropped = [(name, entry[name]) for name in sorted(set(entry) & THEIRS)]
        self.dropped += [("requires_grad", node) for tensor in self.tensors for node in tensor.dropped]
        counts = {len(v) for v in self.para.values()} | {t.count() for t in self.tensors}
        if len(counts) != 1:
            raise Unknown(node, f"lists of different lengths: {sorted(counts)}")
        self.count = counts.pop()
        if self.count == 0:
            raise Unknown(node, "it has no case")

    def line(self, index):
        for tensor in self.tensors:
            return (tensor.shapes if tensor.shapes is not None else tensor.values)[index].lineno
        return 0

    def point(self, index, label):
        """A Grid of one point."""
        parts = [t.text(index) for t in self.tensors]
        for name, values in self.para.items():
            parts.append(attribute(name, literal(values[index], name), values[index]))
        reveals = f"carried over from the public harness, {self.key}, case {index}"
        return (f"dtypes: [{', '.join(self.dtypes)}] point {{ label: {quoted(f'public_{label}_{index}')} "
                f"reveals: {quoted(reveals)} {' '.join(p for p in parts if p)} }}")


def is_configs(node):
    """Whether it is `diopi_configs = ...`, or the same with a type."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    return any(isinstance(t, ast.Name) and t.id == "diopi_configs" for t in targets) and node.value is not None


def entries_of(node, tell):
    """(key, node) of each configuration; of two of one name Python takes the later."""
    if isinstance(node, ast.Dict):
        pairs = list(zip(node.keys, node.values))
    elif is_dict_call(node):
        for argument in node.args:
            tell(argument.lineno, text_of(argument), "it cannot be read without running it")
        pairs = [(k.arg and ast.Constant(k.arg), k.value) for k in node.keywords]
    else:
        raise Unknown(node, "diopi_configs is no dictionary that is written out")
    entries = {}
    for key, value in pairs:
        if not isinstance(key, ast.Constant):
            tell(value.lineno, text_of(key or value), "its name cannot be read without running it")
            continue
        name = str(key.value)
        if name in entries:
            tell(entries[name].lineno, name, f"it is there again in line {value.lineno}")
        entries[name] = value
    return entries


def find_configs(tree, tell):
    """The dictionary; every other statement but imports and texts is told."""
    found = []
    for node in tree.body:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_configs(node):
            found.append(node)
        elif not is_text and not isinstance(node, (ast.Import, ast.ImportFrom)):
            tell(node.lineno, text_of(node), "code that would have to be run")
    if not found:
        raise Unknown(tree, "no `diopi_configs = {...}` in it")
    for node in found[:-1]:
        tell(node.lineno, "diopi_configs", f"it is assigned again in line {found[-1].lineno}")
    return found[-1].value


def escape(text):
    text = "".join(c if c.isprintable() else "?" for c in text)
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def label_of(key, taken):
    """Labels are letters, digits and _, and no two configurations share one."""
    base = label = "".join(c if c.isascii() and c.isalnum() else "_" for c in key.lower())
    again = 1
    while label in taken:
        again += 1
        label = f"{base}_{again}"
    taken.add(label)
    return label


def read(path, out):
    with open(path, "rb") as file:
        tree = ast.parse(file.read(), path)  # bytes: Python's own rules for the encoding

    def write(kind, line, *rest):
        out.write("\t".join([kind, str(line)] + [escape(str(r)) for r in rest]) + "\n")

    def tell(line, name, why):
        write("skip", line, name, why)

    labels = set()
    for key, node in entries_of(find_configs(tree, tell), tell).items():
        try:
            config = Configuration(key, node)
        except Unknown as error:
            tell(error.line or node.lineno, key, error)
            continue
        except RecursionError:
            tell(node.lineno, key, "nested too deep")
            continue
        for name, dropped in config.dropped:
            tell(dropped.lineno, key, f"{name}: our operator files say for themselves how to call and judge")
        label = label_of(key, labels)
        for index in range(config.count):
            try:
                point = config.point(index, label)
                for name in config.names:
                    write("case", config.line(index), key, name, index, point)
            except Unknown as error:
                tell(error.line or node.lineno, key, f"case {index}: {error}")


def main():
    path, out_path = sys.argv[1:]
    sys.stderr.reconfigure(encoding="utf-8", errors="backslashreplace")  # any locale, any path
    try:
        with open(out_path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            read(path, out)
    except SyntaxError as error:
        sys.exit(f"{path}:{error.lineno or 1}: no Python: {error.msg}")
    except Unknown as error:
        sys.exit(f"{path}{':' + str(error.line) if error.line else ''}: {error}")
    except (RecursionError, MemoryError):
        sys.exit(f"{path}: cannot be read: nested too deep")
    except (OSError, ValueError) as error:
        sys.exit(f"{path}: cannot be read: {error}")


main()
