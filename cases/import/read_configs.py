"""Reads the public harness's case configuration (diopi_configs.py) as data: parsed with ast, never executed.

    read_configs.py FILE OUT

Writes OUT, one record a line, tab-separated, text escaped as in C:
    skip    LINE  KEY  WHY                     a configuration, or a case of one, that cannot be carried over
    case    LINE  KEY  NAME  INDEX  POINT      NAME: the operator; POINT: a diopi.v1.Grid of one point, as text
Exits with 1, and says why on standard error, when FILE is no Python or has no `diopi_configs`.
"""

import ast
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
# Keys that say how the public harness judges or calls, which our operator files say for themselves.
KNOWN = {
    "name", "interface", "dtype", "atol", "rtol", "atol_half", "rtol_half", "para", "tensor_para", "is_inplace",
    "saved_args", "requires_backward", "no_output_ref", "mismatch_ratio_threshold",
}
KNOWN_ARG = {"ins", "shape", "dtype", "gen_fn", "requires_grad", "value"}


class Unknown(Exception):
    """Something that cannot be carried over: where and why."""

    def __init__(self, node, why):
        super().__init__(why)
        self.line = getattr(node, "lineno", 0)


def dotted(node):
    """np.float32 as "float32"; None for another expression."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Name):
        return node.id
    return None


def table(node, what):
    """dict(...) and {...} as {key: node}."""
    if isinstance(node, ast.Dict) and all(isinstance(k, ast.Constant) for k in node.keys):
        return {k.value: v for k, v in zip(node.keys, node.values)}
    if isinstance(node, ast.Call) and dotted(node.func) == "dict" and not node.args:
        return {k.arg: k.value for k in node.keywords}
    raise Unknown(node, f"{what} is not a dictionary of literals")


def items(node, what):
    if isinstance(node, (ast.List, ast.Tuple)):
        return node.elts
    raise Unknown(node, f"{what} is not a list of literals")


def literal(node, what):
    if isinstance(node, ast.Call) and dotted(node.func) in ("float", "int", "bool") and len(node.args) == 1:
        value = literal(node.args[0], what)
        return {"float": float, "int": int, "bool": bool}[dotted(node.func)](value)
    try:
        return ast.literal_eval(node)
    except (ValueError, SyntaxError):
        pass
    name = dotted(node)
    if name in ("inf", "nan"):
        return float(name)
    raise Unknown(node, f"{what} is not a literal: {ast.unparse(node)[:60]}")


def dtype(node):
    name = dotted(node)
    name = ALIASES.get(name, name)
    if name not in DTYPES:
        raise Unknown(node, f"no dtype of ours: {ast.unparse(node)[:60]}")
    return name


def dtypes(node):
    return [dtype(item) for item in items(node, "dtype")]


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def number(value):
    return repr(value) if isinstance(value, float) else str(value)


def attribute(name, value, node):
    head = f"attr {{ name: {quoted(name)} "
    if value is None:
        return ""  # left out: the ABI's null, or the operator's default
    if isinstance(value, bool):
        return head + f"b: {'true' if value else 'false'} }}"
    if isinstance(value, int):
        return head + f"i: {value} }}"
    if isinstance(value, float):
        return head + f"f: {number(value)} }}"
    if isinstance(value, str):
        return head + f"s: {quoted(value)} }}"
    if isinstance(value, (list, tuple)) and all(type(v) is int for v in value):
        return head + f"sizes {{ values: {list(value)} }} }}"
    raise Unknown(node, f"{name}: no attribute of ours holds {value!r}")


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
        name = made.value.rsplit(".", 1)[-1] if isinstance(made, ast.Constant) else dotted(made)
    if name in ("randint", "uniform"):
        low = literal(settings.get("low", ast.Constant(0)), "low")
        high = literal(settings.get("high", ast.Constant(10 if name == "randint" else 1)), "high")
        if name == "uniform":
            return f"fill {{ uniform {{ low: {low} high: {high} }} }}"
        return f"fill {{ integers {{ low: {low} high: {high - 1} }} }}"
    if FILLS.get(name) is None or settings:
        raise Unknown(node, f"no fill of ours is gen_fn {ast.unparse(node)[:60]}")
    return f"fill {{ {FILLS[name]} }}"


class Tensor:
    """One entry of tensor_para's args."""

    def __init__(self, node, default_fill, case_dtypes):
        entry = table(node, "an entry of args")
        unknown = sorted(set(entry) - KNOWN_ARG)
        if unknown:
            raise Unknown(node, f"args: {', '.join(unknown)} is not known")
        if "ins" not in entry:
            raise Unknown(node, "an entry of args has no ins")
        self.names = literal(entry["ins"], "ins")
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
        if not isinstance(shape, (list, tuple)) or not all(type(n) is int and n >= 0 for n in shape):
            raise Unknown(node, f"no shape: {shape!r}")
        return " ".join(
            f"in {{ name: {quoted(name)} shape: {list(shape)} {self.dtype}{values or self.fill} }}"
            for name in self.names)


def flatten(value, node):
    if isinstance(value, bool) or isinstance(value, (int, float)):
        return [float(value) if isinstance(value, float) else int(value)], []
    if not isinstance(value, (list, tuple)):
        raise Unknown(node, f"no values of a tensor: {value!r}")
    parts = [flatten(v, node) for v in value]
    if any(shape != parts[0][1] for _, shape in parts):
        raise Unknown(node, "values of a tensor in rows of different lengths")
    return [v for flat, _ in parts for v in flat], [len(parts)] + (parts[0][1] if parts else [])


class Configuration:
    def __init__(self, key, node):
        self.key = key
        entry = table(node, "the configuration")
        unknown = sorted(set(entry) - KNOWN)
        if unknown:
            raise Unknown(entry[unknown[0]], f"{', '.join(unknown)} is not known")
        if "name" not in entry or "dtype" not in entry or "tensor_para" not in entry:
            raise Unknown(node, "expected name, dtype and tensor_para")
        self.names = literal(entry["name"], "name")
        self.dtypes = dtypes(entry["dtype"])
        self.para = {k: items(v, k) for k, v in table(entry.get("para", ast.Dict([], [])), "para").items()}
        tensors = table(entry["tensor_para"], "tensor_para")
        unknown = sorted(set(tensors) - {"args", "gen_fn"})
        if unknown:
            raise Unknown(entry["tensor_para"], f"tensor_para: {', '.join(unknown)} is not known")
        self.tensors = [
            Tensor(arg, tensors.get("gen_fn"), self.dtypes) for arg in items(tensors.get("args"), "args")
        ]
        counts = {len(v) for v in self.para.values()} | {t.count() for t in self.tensors}
        if len(counts) != 1:
            raise Unknown(node, f"lists of different lengths: {sorted(counts)}")
        self.count = counts.pop()

    def line(self, index):
        for tensor in self.tensors:
            return (tensor.shapes if tensor.shapes is not None else tensor.values)[index].lineno
        return 0

    def point(self, index):
        """A Grid of one point."""
        parts = [t.text(index) for t in self.tensors]
        for name, values in self.para.items():
            parts.append(attribute(name, literal(values[index], name), values[index]))
        label = "".join(c if c.isalnum() else "_" for c in self.key.lower())
        reveals = f"carried over from the public harness, {self.key}, case {index}"
        return (f"dtypes: [{', '.join(self.dtypes)}] point {{ label: {quoted(f'public_{label}_{index}')} "
                f"reveals: {quoted(reveals)} {' '.join(p for p in parts if p)} }}")


def find_configs(tree):
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(t, ast.Name) and t.id == "diopi_configs" for t in targets):
            if isinstance(node.value, ast.Dict):
                return node.value
    raise Unknown(tree, "no `diopi_configs = {...}` in it")


def escape(text):
    return text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def read(path, out):
    with open(path, encoding="utf-8") as file:
        configs = find_configs(ast.parse(file.read(), path))
    for key_node, node in zip(configs.keys, configs.values):
        key = key_node.value if isinstance(key_node, ast.Constant) else ast.unparse(key_node)[:60]

        def tell(kind, line, *rest, name=key):
            out.write("\t".join([kind, str(line), escape(str(name))] + [escape(str(r)) for r in rest]) + "\n")

        try:
            config = Configuration(str(key), node)
        except Unknown as error:
            tell("skip", error.line or key_node.lineno, error)
            continue
        for index in range(config.count):
            try:
                point = config.point(index)
                for name in config.names:
                    tell("case", config.line(index), name, index, point)
            except Unknown as error:
                tell("skip", error.line, f"case {index}: {error}")


def main():
    path, out_path = sys.argv[1:]
    try:
        with open(out_path, "w", encoding="utf-8") as out:
            read(path, out)
    except SyntaxError as error:
        sys.exit(f"{path}:{error.lineno}: no Python: {error.msg}")
    except Unknown as error:
        sys.exit(f"{path}: {error}")
    except (OSError, UnicodeDecodeError) as error:
        sys.exit(f"{path}: cannot be read: {error}")


main()
