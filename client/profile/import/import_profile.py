"""The public harness's files of one device as a device profile: device_configs.py and convert_config.yaml.

Run by `diopi-cli profile import`. The Python file is parsed, never executed; the YAML file is composed into nodes,
never constructed. What cannot be carried over is reported with its file and line, and why.

usage: import_profile.py NAMES.json OUTPUT [--device-configs FILE] [--convert-config FILE] [--issue LINK]
                         [--expires YYYY-MM-DD] [--chip NAME]

NAMES.json: {"operators": {name: [parameters]}, "functions": {name: [parameters]}}.
Exit status: 0 written (the report on standard output), 2 a file cannot be read or parsed.
"""

import argparse
import ast
import io
import json
import math
import re
import sys
import tokenize

DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64",
          "bool", "bfloat16", "complex64", "complex128"]
# numpy's and the harness's names of a dtype.
DTYPE_ALIASES = {"bool_": "bool", "half": "float16", "single": "float32", "float": "float32", "double": "float64",
                 "int": "int32", "long": "int64"}
LAYOUTS = ["NHWC", "NDHWC", "NLC", "NCHW", "NCDHW", "NCL", "ND"]
DEFAULT_TOLERANCE = 1e-5  # of the harness, where a device's file overrides only one of the two
MAX_MISMATCH_RATIO = 0.1  # that a waiver may state


class Refused(Exception):
    """Why something cannot be carried over."""


def one_line(text):
    return "".join(c if c.isprintable() else "?" for c in text)


def text_of(node):
    """An expression as a report shows it."""
    try:
        text = one_line(ast.unparse(node).split("\n")[0])
    except RecursionError:
        return "an expression too deep to be shown"
    return text if len(text) <= 60 else text[:60] + "..."


class Importer:
    def __init__(self, names, arguments):
        self.operators = names["operators"]
        self.functions = names["functions"]
        self.arguments = arguments
        self.rules = []  # text
        self.counts = {"skip": 0, "waiver": 0, "adaptor": 0}
        self.left_out = []

    def refuse(self, path, line, what, why):
        self.left_out.append(f"{path}:{line}: {one_line(what)}: {one_line(why)}")

    def add(self, kind, fields):
        self.counts[kind] += 1
        self.rules.append(kind + " {\n" + "".join("  " + field + "\n" for field in fields) + "}\n")


def quoted(text):
    """A string as text format writes it."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return '"' + "".join(c if c.isprintable() else "?" for c in escaped) + '"'


# device_configs.py


def comments_of(data):
    """Comments by line."""
    found = {}
    try:
        for token in tokenize.tokenize(io.BytesIO(data).readline):
            if token.type == tokenize.COMMENT:
                found[token.start[0]] = token.string.lstrip("# ").strip()
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def items_of(node):
    """(key, value node, line) of a dict(...) call or a dictionary's display."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict" and not node.args:
        if any(keyword.arg is None for keyword in node.keywords):
            raise Refused("dict(**...) cannot be read without running it")
        return [(keyword.arg, keyword.value, keyword.value.lineno) for keyword in node.keywords]
    if isinstance(node, ast.Dict):
        items = []
        for key, value in zip(node.keys, node.values):
            if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
                raise Refused("a key that is no text")
            items.append((key.value, value, value.lineno))
        return items
    raise Refused("expected dict(...) or {...}")


def elements_of(node):
    """Elements of a list or tuple; a lone value counts as one."""
    return list(node.elts) if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]


def dtype_of(node):
    """float16 of Dtype.float16, np.float16, torch.float16, "float16"; None when it is none."""
    name = node.attr if isinstance(node, ast.Attribute) else node.value if isinstance(node, ast.Constant) else None
    name = DTYPE_ALIASES.get(name, name) if isinstance(name, str) else None
    return name if name in DTYPES else None


def number_of(node):
    """A number that stands there: -1, 1e-3, float("inf")."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        value = number_of(node.operand)
        return -value if isinstance(node.op, ast.USub) else value
    if isinstance(node, ast.Constant) and isinstance(node.value, (int, float)) and not isinstance(node.value, bool):
        return node.value
    if (isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "float"
            and len(node.args) == 1 and isinstance(node.args[0], ast.Constant)):
        try:
            return float(node.args[0].value)
        except (TypeError, ValueError):
            pass
    if isinstance(node, ast.Attribute) and node.attr in ("inf", "nan", "pi"):
        return {"inf": float("inf"), "nan": float("nan"), "pi": 3.141592653589793}[node.attr]
    raise Refused("a value that cannot be read without running it: " + text_of(node))


def size_of(node):
    """The size of a dimension."""
    value = number_of(node)
    if not isinstance(value, int) or not 0 <= value < 2**63:
        raise Refused("no size of a dimension: " + text_of(node))
    return value


def value_of(node):
    """A parameter's value as a profile writes it."""
    if isinstance(node, ast.Constant) and (node.value is None or isinstance(node.value, (bool, str))):
        return {None: "none", True: "true", False: "false"}.get(node.value, node.value)
    if isinstance(node, (ast.List, ast.Tuple)):
        return "[" + ", ".join(value_of(element) for element in node.elts) + "]"
    if dtype_of(node):
        raise Refused("a dtype as a parameter's value: our cases have none")
    return repr(number_of(node))


def skipped(node):
    """What Skip(...) holds; None for anything else."""
    called = node.func if isinstance(node, ast.Call) else None
    name = called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else None
    return node.args[0] if name == "Skip" and len(node.args) == 1 else None


class DeviceConfigs(ast.NodeVisitor):
    def __init__(self, importer, path):
        self.importer = importer
        self.path = path
        self.comments = {}

    def run(self):
        with open(self.path, "rb") as file:
            data = file.read()
        tree = ast.parse(data, self.path)  # bytes: Python's own rules for the encoding
        self.comments = comments_of(data)
        found = []
        for statement in tree.body:
            if isinstance(statement, (ast.Import, ast.ImportFrom)) or self.is_text(statement):
                continue
            if self.assigns(statement):
                found.append(statement)
            else:
                self.refuse(statement, text_of(statement), "code that would have to be run")
        for statement in found[:-1]:
            self.refuse(statement, "device_configs", f"it is assigned again in line {found[-1].lineno}")
        if found:
            self.entries(found[-1].value)
        else:
            self.importer.refuse(self.path, 1, "device_configs", "the file assigns nothing to it")

    @staticmethod
    def assigns(statement):
        """Whether it is `device_configs = ...`, or the same with a type."""
        if isinstance(statement, ast.AnnAssign) and statement.value is not None:
            targets = [statement.target]
        else:
            targets = statement.targets if isinstance(statement, ast.Assign) else []
        return any(isinstance(target, ast.Name) and target.id == "device_configs" for target in targets)

    @staticmethod
    def is_text(statement):
        return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)

    def refuse(self, node, what, why):
        self.importer.refuse(self.path, node.lineno, what, why)

    def entries(self, node):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
            keys = [keyword.arg and ast.Constant(keyword.arg) for keyword in node.keywords]
            values = [keyword.value for keyword in node.keywords]
            for argument in node.args:
                self.refuse(argument, text_of(argument), "an entry cannot be read without running it")
        elif isinstance(node, ast.Dict):
            keys, values = node.keys, node.values
        else:
            return self.refuse(node, "device_configs", "expected a dictionary written out")
        entries = {}
        for key, value in zip(keys, values):
            if not isinstance(key, ast.Constant):
                self.refuse(value, "an entry", "its name cannot be read without running it: " + text_of(key or value))
                continue
            if key.value in entries:
                self.refuse(entries[key.value], repr(key.value), f"it is there again in line {value.lineno}")
            entries[key.value] = value
        for key, value in entries.items():
            try:
                self.entry(str(key), value)
            except Refused as why:
                self.refuse(value, repr(key), str(why))
        return None

    def fields(self, what, node):
        """The fields of a dictionary; of two of one name Python takes the later."""
        fields = {}
        for name, value, _ in items_of(node):
            if name in fields:
                self.refuse(fields[name], f"{what}: {name}", f"it is there again in line {value.lineno}")
            fields[name] = value
        return fields

    def entry(self, label, node):
        fields = self.fields(repr(label), node)
        names = self.names(label, node, fields.pop("name", None))
        if not names:
            return
        tolerances = {}
        for name, value in fields.items():
            what = f"{label!r}: {name}"
            try:
                if name in ("atol", "rtol", "atol_half", "rtol_half", "mismatch_ratio_threshold"):
                    tolerances[name] = (number_of(value), value.lineno)
                elif name == "dtype":
                    self.dtypes(label, names, value)
                elif name == "para":
                    self.parameters(label, names, value)
                elif name == "tensor_para":
                    self.tensors(label, names, value)
                else:
                    raise Refused("profiles have nothing like it")
            except Refused as why:
                self.refuse(value, what, str(why))
        self.tolerances(label, names, tolerances)

    def names(self, label, node, listed):
        """The operators of an entry that we have; the others are reported."""
        if listed is None:
            self.refuse(node, repr(label), "it names no operator")
            return []
        known = []
        for element in elements_of(listed):
            name = element.value if isinstance(element, ast.Constant) else None
            if name in self.importer.operators:
                known.append(name)
            else:
                self.refuse(element, f"{label!r}: {text_of(element)}", "there is no such operator here")
        return known

    def reason(self, label, node):
        comment = self.comments.get(node.lineno) or self.comments.get(node.lineno - 1) or ""
        return (comment + "; " if comment else "") + f"carried over from {self.path}:{node.lineno} ({label})"

    def skip(self, label, names, condition, node):
        operators = "".join(f"operator: {quoted(name)} " for name in names)
        self.importer.add("skip", [f"match {{ {operators}{condition} }}", f"reason: {quoted(self.reason(label, node))}"])

    def skips_in(self, label, what, node):
        """(held, node) of each Skip; anything else is reported."""
        held = []
        for element in elements_of(node):
            value = skipped(element)
            if value is None:
                self.refuse(element, f"{label!r}: {what}", "no Skip(...): " + text_of(element))
            else:
                held.append(value)
        return held

    def dtypes(self, label, names, node, prefix=""):
        good = []
        for held in self.skips_in(label, "dtype", node):
            dtype = dtype_of(held)
            if dtype is None:
                self.refuse(held, f"{label!r}: dtype", "no dtype of ours: " + text_of(held))
            else:
                good.append(dtype)
        if not good:
            return
        condition = "".join(f" dtype: {dtype}" for dtype in good)
        self.skip(label, names, f"tensor {{ {prefix}{condition.strip()} }}" if prefix else condition.strip(), node)

    def has_parameter(self, names, parameter):
        return any(parameter in self.importer.operators[name] for name in names)

    def parameters(self, label, names, node):
        for parameter, values in self.fields(f"{label!r}: para", node).items():
            if not self.has_parameter(names, parameter):
                self.refuse(values, f"{label!r}: para: {parameter}", "no parameter of these functions has this name")
                continue
            texts = []
            for held in self.skips_in(label, f"para: {parameter}", values):
                try:
                    texts.append(value_of(held))
                except Refused as why:
                    self.refuse(held, f"{label!r}: para: {parameter}", str(why))
            if texts:
                listed = "".join(f" value: {quoted(text)}" for text in texts)
                self.skip(label, names, f"parameter {{ name: {quoted(parameter)}{listed} }}", values)

    def tensors(self, label, names, node):
        for name, value in self.fields(f"{label!r}: tensor_para", node).items():
            if name == "dtype":
                self.dtypes(label, names, value)
            elif name == "args":
                for argument in elements_of(value):
                    try:
                        self.tensor(label, names, argument)
                    except Refused as why:
                        self.refuse(argument, f"{label!r}: args", str(why))
            else:
                self.refuse(value, f"{label!r}: tensor_para: {name}", "profiles have nothing like it")

    def tensor(self, label, names, node):
        fields = self.fields(f"{label!r}: args", node)
        listed = fields.pop("ins", None)
        if listed is None:
            return self.refuse(node, f"{label!r}: tensor_para", "it names no argument (ins)")
        arguments = []
        for element in elements_of(listed):
            name = element.value if isinstance(element, ast.Constant) else None
            if isinstance(name, str) and self.has_parameter(names, name):
                arguments.append(name)
            else:
                self.refuse(element, f"{label!r}: ins: {text_of(element)}",
                            "no parameter of these functions has this name")
        if not arguments:
            return None
        prefix = "".join(f"argument: {quoted(name)} " for name in arguments)
        for name, value in fields.items():
            if name == "dtype":
                self.dtypes(label, names, value, prefix)
            elif name == "shape":
                self.shapes(label, names, value, arguments, prefix)
            else:
                self.refuse(value, f"{label!r}: tensor_para: {name}", "profiles have nothing like it")
        return None

    def shapes(self, label, names, node, arguments, prefix):
        shapes = []
        for held in self.skips_in(label, "shape", node):
            if isinstance(held, ast.Constant) and held.value is None:
                for argument in arguments:  # no tensor at all
                    self.skip(label, names, f"parameter {{ name: {quoted(argument)} value: \"none\" }}", held)
                continue
            try:
                sizes = [size_of(size) for size in elements_of(held)]
            except Refused as why:
                self.refuse(held, f"{label!r}: shape", str(why))
                continue
            shapes.append("(" + ", ".join(str(size) for size in sizes) + ")")
        if shapes:
            listed = "".join(f" shape: {quoted(shape)}" for shape in shapes)
            self.skip(label, names, f"tensor {{ {prefix}{listed.strip()} }}", node)

    def tolerances(self, label, names, given):
        ratio = given.pop("mismatch_ratio_threshold", None)
        for half in (False, True):
            suffix = "_half" if half else ""
            mine = {key: given[key + suffix] for key in ("atol", "rtol") if key + suffix in given}
            if ratio is not None and not half and not any(key.endswith("_half") for key in given):
                mine["mismatch_ratio"] = ratio
            if mine:
                self.waiver(label, names, mine, half)

    def waiver(self, label, names, given, half):
        line = min(line for _, line in given.values())
        what = f"{label!r}: {', '.join(given)}{' of float16' if half else ''}"
        issue, expires = self.importer.arguments.issue, self.importer.arguments.expires
        if not issue or not expires:
            return self.importer.refuse(self.path, line, what,
                                        "a tolerance is overridden by a waiver, which has an issue and an end: give "
                                        "--issue and --expires")
        values = {key: value for key, (value, _) in given.items()}
        sound = all(math.isfinite(value) and value >= 0 for value in values.values())
        if not sound or values.get("mismatch_ratio", 0) > MAX_MISMATCH_RATIO:
            return self.importer.refuse(self.path, line, what, "no tolerance that a waiver may state")
        for key in ("atol", "rtol"):
            values.setdefault(key, DEFAULT_TOLERANCE)
        operators = "".join(f"operator: {quoted(name)} " for name in names)
        dtypes = "dtype: float16" if half else "dtype: float32 dtype: float64"
        tolerance = " ".join(f"{key}: {value!r}" for key, value in sorted(values.items()))
        reason = f"the device's tolerance; carried over from {self.path}:{line} ({label})"
        self.importer.add("waiver", [f"match {{ {operators}{dtypes} }}", f"tolerance {{ {tolerance} }}",
                                     f"reason: {quoted(reason)}", f"issue: {quoted(issue)}",
                                     f"expires: {quoted(expires)}"])
        return None


# convert_config.yaml


class ConvertConfig:
    def __init__(self, importer, path):
        self.importer = importer
        self.path = path

    def run(self):
        try:
            import yaml
        except ImportError:
            raise ValueError("python3-yaml is not installed") from None
        with open(self.path, encoding="utf-8") as file:
            try:
                root = yaml.compose(file, Loader=yaml.SafeLoader)
            except yaml.YAMLError as error:
                raise ValueError(str(error)) from None
        if root is None:
            return
        self.yaml = yaml
        if not isinstance(root, yaml.SequenceNode):
            self.refuse(root, "the file", "expected a list, one operator an element")
            return
        for element in root.value:
            for key, value in self.pairs(element, "an element"):
                self.function(key.value, key, value)

    def is_scalar(self, node):
        return isinstance(node, self.yaml.ScalarNode)

    def refuse(self, node, what, why):
        self.importer.refuse(self.path, node.start_mark.line + 1, what, why)

    def pairs(self, node, what):
        if not isinstance(node, self.yaml.MappingNode):
            self.refuse(node, what, "expected NAME: with its rules below")
            return []
        pairs = {}
        for key, value in node.value:
            if not self.is_scalar(key):
                self.refuse(key, what, "a key that is no text")
                continue
            if key.value in pairs:
                self.refuse(pairs[key.value][0], f"{what}: {key.value}",
                            f"it is there again in line {key.start_mark.line + 1}")
            pairs[key.value] = (key, value)
        return list(pairs.values())

    def function(self, name, key, node):
        common = name == "common_config"
        if not common and name not in self.importer.functions:
            return self.refuse(key, name, "the ABI has no such function")
        about = [] if common else [f"function: {quoted(name)}"]
        whole = {}
        for field, value in self.pairs(node, name):
            if field.value == "tensor_dtype" and not common:
                for argument, rule in self.pairs(value, f"{name}: tensor_dtype"):
                    self.argument(name, argument, rule, about)
            elif field.value in ("dtype", "layout") and self.is_scalar(value):
                check = self.dtype if field.value == "dtype" else self.layout
                text = check(name, value, value.value)
                if text:
                    whole[field.value] = text
            else:
                self.refuse(field, f"{name}: {field.value}", "profiles have nothing like it")
        if whole:
            self.importer.add("adaptor", about + [f"{field}: {quoted(text)}" for field, text in whole.items()])
        return None

    def argument(self, function, name, rule, about):
        if name.value not in self.importer.functions[function]:
            return self.refuse(name, f"{function}: {name.value}", "the function has no such parameter")
        if not self.is_scalar(rule):
            return self.refuse(rule, f"{function}: {name.value}", "expected (FROM, ...)->TO, ...")
        text = self.dtype(function, rule, rule.value)
        if text:
            self.importer.add("adaptor", about + [f"argument: {quoted(name.value)}", f"dtype: {quoted(text)}"])
        return None

    def dtype(self, name, node, text):
        """The rules of `text` that we have, as text again."""
        good = []
        rest = re.sub(r"\s+", "", text)
        for match in re.finditer(r"\(([^()]*)\)->(\w+)(,|$)", rest):
            targets = [match.group(2)]
            sources = match.group(1).split(",")
            unknown = [dtype for dtype in sources + targets if dtype not in DTYPES]
            crossing = [dtype for dtype in sources
                        if dtype.startswith("complex") != targets[0].startswith("complex")]
            narrow = [dtype for dtype in sources if dtype == "complex64" and targets[0] == "complex128"]
            if unknown or crossing or narrow:
                self.refuse(node, f"{name}: {match.group(0).rstrip(',')}",
                            "no conversion of ours: " + ", ".join(unknown or crossing or narrow))
                sources = [dtype for dtype in sources if dtype not in unknown + crossing + narrow]
            if sources and targets[0] in DTYPES:
                good.append(f"({', '.join(sources)})->{targets[0]}")
        if "".join(re.sub(r"\(([^()]*)\)->(\w+)(,|$)", "", rest)):
            self.refuse(node, f"{name}: dtype: {text}", "expected (FROM, ...)->TO, ...")
        return ", ".join(good)

    def layout(self, name, node, text):
        good = []
        for part in re.split(r",(?![^()]*\))", text):
            part = part.strip()
            match = re.fullmatch(r"(?:(\w+)\((\w+)\))|(\w+)", part)
            layout = match.group(2) or match.group(3) if match else None
            argument = match.group(1) if match else None
            if layout not in LAYOUTS:
                self.refuse(node, f"{name}: layout: {part}", "no layout of ours")
            elif argument and argument not in self.importer.functions.get(name, []):
                self.refuse(node, f"{name}: layout: {part}", "the function has no such parameter")
            else:
                good.append(part)
        return ", ".join(good)


def main():
    for stream in (sys.stdout, sys.stderr):  # any locale, any path
        stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    parser = argparse.ArgumentParser()
    parser.add_argument("names")
    parser.add_argument("output")
    for option in ("--device-configs", "--convert-config", "--issue", "--expires", "--chip"):
        parser.add_argument(option, default="")
    arguments = parser.parse_args()
    with open(arguments.names, encoding="utf-8") as file:
        importer = Importer(json.load(file), arguments)
    for path, reader in ((arguments.device_configs, DeviceConfigs), (arguments.convert_config, ConvertConfig)):
        if not path:
            continue
        try:
            reader(importer, path).run()
        except SyntaxError as error:
            print(f"{path}:{error.lineno or 1}:{error.offset or 1}: {error.msg}", file=sys.stderr)
            return 2
        except (RecursionError, MemoryError):
            print(f"{path}: cannot be read: nested too deep", file=sys.stderr)
            return 2
        except (OSError, ValueError) as error:
            print(f"{path}: cannot be read: {error}", file=sys.stderr)
            return 2
    head = "# Carried over by diopi-cli profile import; client/profile/GUIDE.md says what each rule means.\n"
    if arguments.chip:
        head += f"chip: {quoted(arguments.chip)}\n"
    with open(arguments.output, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(head + "".join(importer.rules))
    print("carried over: " + ", ".join(f"{count} {kind} rules" for kind, count in importer.counts.items()))
    print(f"not carried over: {len(importer.left_out)}")
    for line in importer.left_out:
        print("  " + line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
