"""Converts the public harness's files for one device, device_configs.py and convert_config.yaml, into a device profile.

Run by `diopi-cli profile import`, after cases/import/harness.py. The Python file is parsed, never executed; the YAML
file is composed into nodes, never constructed. What cannot be imported is reported by reason.

usage: import_profile.py NAMES.json OUTPUT [--device-configs FILE] [--convert-config FILE] [--issue LINK]
                         [--expires YYYY-MM-DD] [--chip NAME] [--verbose]
FILE is a copy; --device-configs-as and --convert-config-as give the names that messages show.

NAMES.json: {"operators": {name: [functions]}, "functions": {name: [parameters]}, "sizes": {function: [parameters]}},
`sizes` being the parameters that are lists of sizes.
Exit status: 0 written (the report on standard output), 2 a file is not what it should be, 4 python3-yaml is missing.
"""

import argparse
import io
import json
import math
import re
import tokenize

LAYOUTS = ["NHWC", "NDHWC", "NLC", "NCHW", "NCDHW", "NCL", "ND"]
DEFAULT_TOLERANCE = 1e-5  # the harness's, where a device's file overrides only one of the two
MAX_MISMATCH_RATIO = 0.1  # the most that a waiver may have
# Reasons, as the table shows them.
NO_OPERATOR = "the suite has no such operator"
NO_PARAMETER = "no parameter of these functions has this name"
NO_SKIP = "no Skip(...)"
COMMON = "common_config"


class Importer:
    def __init__(self, names, arguments):
        self.operators = names["operators"]
        self.functions = names["functions"]
        self.sizes = names["sizes"]
        self.arguments = arguments
        self.rules = []  # text
        self.counts = {"skip": 0, "waiver": 0, "adaptor": 0}
        self.left_out = {}  # by reason

    def refuse(self, path, line, what, why, reason=None):
        text = f"{path}:{line}: {printable(what)}: {printable(str(why))}"
        self.left_out.setdefault(reason or str(why), []).append(text)

    def add(self, kind, fields):
        self.counts[kind] += 1
        self.rules.append(kind + " {\n" + "".join("  " + field + "\n" for field in fields) + "}\n")

    def report(self):
        print("imported: " + ", ".join(f"{count} {kind} rules" for kind, count in self.counts.items()))
        print(f"not imported: {sum(len(texts) for texts in self.left_out.values())}")
        for reason, texts in sorted(self.left_out.items(), key=lambda entry: -len(entry[1])):
            print(f"{len(texts):7}  {printable(reason)}")
            for text in texts if self.arguments.verbose else texts[:1]:
                print(f"{'' if self.arguments.verbose else 'e.g.':>13} {text}")


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


def elements_of(node):
    """Elements of a list or tuple; a lone value counts as one."""
    return list(node.elts) if isinstance(node, (ast.List, ast.Tuple, ast.Set)) else [node]


def number_of(node):
    value = literal(node, "the value")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise Refused(f"the value is not a number: {text_of(node)}", node)
    return value


def size_of(node):
    """The size of a dimension."""
    value = literal(node, "the shape")
    if type(value) is not int or not 0 <= value < 2**63:
        raise Refused(f"not a size of a dimension: {text_of(node)}", node)
    return value


def value_text(value):
    """A parameter's value as a profile writes it."""
    if value is None or isinstance(value, (bool, str)):
        return {None: "none", True: "true", False: "false"}.get(value, value)
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(value_text(each) for each in value) + "]"
    return repr(value)


class Skips:
    """The names with which a file skips: Skip itself, its aliases, and functions that apply it to a list."""

    def __init__(self, tree):
        self.one = {"Skip"}
        self.many = set()
        for statement in tree.body:
            if isinstance(statement, ast.ImportFrom):
                self.one |= {each.asname for each in statement.names if each.name == "Skip" and each.asname}
            self.learn(statement)

    def learn(self, statement):
        """`S = Skip`, and `S = lambda *args: [Skip(x) for x in args]`. Returns whether it is one of them."""
        name = assigned(statement)
        if name and isinstance(statement.value, ast.Name) and statement.value.id in self.one:
            self.one.add(name)
        elif name and self.is_list(statement.value):
            self.many.add(name)
        return name in self.one or name in self.many

    def is_list(self, node):
        if not isinstance(node, ast.Lambda) or not isinstance(node.body, ast.ListComp) or not node.args.vararg:
            return False
        loop = node.body.generators[0]
        plain = len(node.body.generators) == 1 and not loop.ifs and isinstance(loop.target, ast.Name)
        held = self.held(node.body.elt)
        return (plain and isinstance(loop.iter, ast.Name) and loop.iter.id == node.args.vararg.arg and held is not None
                and len(held) == 1 and isinstance(held[0], ast.Name) and held[0].id == loop.target.id)

    def held(self, node):
        """The contents of Skip(...), as a list; None for anything else."""
        name = dotted(node.func) if isinstance(node, ast.Call) and not node.keywords else None
        if any(isinstance(argument, ast.Starred) for argument in getattr(node, "args", [])):
            return None
        return node.args if name in self.many or (name in self.one and len(node.args) == 1) else None


class Target:
    """The operators that an entry names, or the functions where the harness has a name for a single function."""

    def __init__(self, names, importer):
        self.calls = {name: CALLS.get(name, Call()) for name in names}
        self.operators = [name for name in names if not self.calls[name].functions]
        listed = [f for name in names for f in self.calls[name].functions]
        self.listed = listed
        self.functions = listed + [f for name in self.operators for f in importer.operators[name]]
        self.parameters = {p for function in self.functions for p in importer.functions[function]}
        self.sizes = {p for function in self.functions for p in importer.sizes.get(function, [])}

    def matches(self):
        """A condition for each kind."""
        texts = ["".join(f"operator: {quoted(name)} " for name in self.operators),
                 "".join(f"function: {quoted(name)} " for name in self.listed)]
        return [text for text in texts if text]

    def argument(self, name):
        """The ABI's name of an argument of the harness's; None where it has none."""
        ours = {call.names.get(name, name) for call in self.calls.values()} if isinstance(name, str) else set()
        known = sorted(each for each in ours if each in self.parameters)
        return known[0] if known else None


class DeviceConfigs:
    def __init__(self, importer, path):
        self.importer = importer
        self.path = path

    def run(self, path):
        with open(path, "rb") as file:
            data = file.read()
        tree = ast.parse(data, self.path)  # bytes: Python's own rules for the encoding
        self.comments = comments_of(data)
        self.skips = Skips(tree)
        found = find_table(tree, "device_configs", self.refuse, self.skips.learn)
        if found is None:
            raise Refused("not a device file: it has no `device_configs = {...}`")
        for key, value in entries_of(found, "not a device file: device_configs", self.refuse).items():
            try:
                self.entry(key, value)
            except Refused as why:
                self.refuse(value, repr(key), why, why.reason)

    def refuse(self, node, what, why, reason=None):
        self.importer.refuse(self.path, node.lineno, what, why, reason)

    def entry(self, label, node):
        fields = table(node, repr(label), self.refuse)
        target = self.target(label, node, fields.pop("name", None))
        if not target.functions:
            return
        tolerances = {}
        for name, value in fields.items():
            try:
                if name in ("atol", "rtol", "atol_half", "rtol_half", "mismatch_ratio_threshold"):
                    tolerances[name] = (number_of(value), value.lineno)
                elif name == "dtype":
                    self.dtypes(label, target, value)
                elif name == "para":
                    self.parameters(label, target, value)
                elif name == "tensor_para":
                    self.tensors(label, target, value)
                elif name == "skip_all" and isinstance(literal(value, name), bool):
                    self.skip_all(label, target, value)
                else:
                    raise Refused(f"profiles have no equivalent of {name}")
            except Refused as why:
                self.refuse(value, f"{label!r}: {name}", why, why.reason)
        self.tolerances(label, target, tolerances)

    def target(self, label, node, listed):
        """The operators and functions of an entry that the suite has; the others are reported."""
        if listed is None:
            self.refuse(node, repr(label), "it names no operator")
        known = []
        for element in elements_of(listed) if listed is not None else []:
            name = element.value if isinstance(element, ast.Constant) else None
            if isinstance(name, str) and (name in self.importer.operators or CALLS.get(name, Call()).functions):
                known.append(name)
            else:
                self.refuse(element, f"{label!r}: {text_of(element)}", NO_OPERATOR)
        return Target(known, self.importer)

    def reason(self, label, node):
        comment = self.comments.get(node.lineno) or self.comments.get(node.lineno - 1) or ""
        text = (comment + "; " if comment else "") + f"imported from {self.path}:{node.lineno} ({label})"
        return printable(text)

    def skip(self, label, target, condition, node):
        reason = quoted(self.reason(label, node))
        for match in target.matches():
            self.importer.add("skip", [f"match {{ {match}{condition} }}", f"reason: {reason}"])

    def skip_all(self, label, target, node):
        """Every case of this entry of diopi_configs: where it has the operator's own name, the operator; for another
        (pow_broadcast), what import-cases makes of it."""
        if not node.value:
            return
        plain = "".join(c if c.isascii() and c.isalnum() else "_" for c in label.lower())
        indices = [index + group for index in ("?", "??") for group in ("", "_?", "_??")]
        cases = "".join(f"case: {quoted(f'*.public_{plain}_{index}')} " for index in indices)
        self.skip(label, target, "" if label in target.calls else cases.strip(), node)

    def skips_in(self, label, what, node):
        """What each Skip holds; anything else is reported."""
        held = []
        for element in [node] if self.skips.held(node) else elements_of(node):
            values = self.skips.held(element)
            if values is None:
                self.refuse(element, f"{label!r}: {what}", f"{NO_SKIP}: {text_of(element)}", NO_SKIP)
            else:
                held.extend(values)
        return held

    def dtypes(self, label, target, node, prefix=""):
        good = []
        for held in self.skips_in(label, "dtype", node):
            dtype = dtype_of(held)
            if dtype is None:
                self.refuse(held, f"{label!r}: dtype", f"unknown dtype: {text_of(held)}", "unknown dtype")
            else:
                good.append(dtype)
        if not good:
            return
        condition = "".join(f" dtype: {dtype}" for dtype in good)
        self.skip(label, target, f"tensor {{ {prefix}{condition.strip()} }}" if prefix else condition.strip(), node)

    def parameters(self, label, target, node):
        for name, values in table(node, f"{label!r}: para", self.refuse).items():
            ours = target.argument(name)
            if ours is None:
                self.refuse(values, f"{label!r}: para: {name}", NO_PARAMETER)
                continue
            texts = []
            for held in self.skips_in(label, f"para: {name}", values):
                try:
                    value = literal(held, "the value")
                    texts.append(value_text(value))
                    if type(value) is int and ours in target.sizes:  # for one dimension, or for both
                        texts += [f"[{value}]", f"[{value}, {value}]"]
                except Refused as why:
                    self.refuse(held, f"{label!r}: para: {name}", why, why.reason)
            if texts:
                listed = "".join(f" value: {quoted(text)}" for text in texts)
                self.skip(label, target, f"parameter {{ name: {quoted(ours)}{listed} }}", values)

    def tensors(self, label, target, node):
        for name, value in table(node, f"{label!r}: tensor_para", self.refuse).items():
            if name == "dtype":
                self.dtypes(label, target, value)
            elif name == "args":
                for argument in elements_of(value):
                    try:
                        self.tensor(label, target, argument)
                    except Refused as why:
                        self.refuse(argument, f"{label!r}: args", why, why.reason)
            else:
                self.refuse(value, f"{label!r}: tensor_para", f"profiles have no equivalent of {name}")

    def tensor(self, label, target, node):
        fields = table(node, f"{label!r}: args", self.refuse)
        listed = fields.pop("ins", None)
        if listed is None:
            return self.refuse(node, f"{label!r}: tensor_para", "it names no argument (ins)")
        arguments = []
        for element in elements_of(listed):
            ours = target.argument(element.value if isinstance(element, ast.Constant) else None)
            if ours:
                arguments.append(ours)
            else:
                self.refuse(element, f"{label!r}: ins: {text_of(element)}", NO_PARAMETER)
        if not arguments:
            return None
        prefix = "".join(f"argument: {quoted(name)} " for name in arguments)
        for name, value in fields.items():
            if name == "dtype":
                self.dtypes(label, target, value, prefix)
            elif name == "shape":
                self.shapes(label, target, value, arguments, prefix)
            else:
                self.refuse(value, f"{label!r}: tensor_para", f"profiles have no equivalent of {name}")
        return None

    def shapes(self, label, target, node, arguments, prefix):
        shapes = []
        for held in self.skips_in(label, "shape", node):
            if isinstance(held, ast.Constant) and held.value is None:
                for argument in arguments:  # no tensor at all
                    self.skip(label, target, f"parameter {{ name: {quoted(argument)} value: \"none\" }}", held)
                continue
            try:
                sizes = [size_of(size) for size in elements_of(held)]
            except Refused as why:
                self.refuse(held, f"{label!r}: shape", why, why.reason)
                continue
            shapes.append("(" + ", ".join(str(size) for size in sizes) + ")")
        if shapes:
            listed = "".join(f" shape: {quoted(shape)}" for shape in shapes)
            self.skip(label, target, f"tensor {{ {prefix}{listed.strip()} }}", node)

    def tolerances(self, label, target, given):
        ratio = given.pop("mismatch_ratio_threshold", None)
        for half in (False, True):
            suffix = "_half" if half else ""
            mine = {key: given[key + suffix] for key in ("atol", "rtol") if key + suffix in given}
            if ratio is not None and not half and not any(key.endswith("_half") for key in given):
                mine["mismatch_ratio"] = ratio
            if mine:
                self.waiver(label, target, mine, half)

    def waiver(self, label, target, given, half):
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
            return self.importer.refuse(self.path, line, what, "not a tolerance that a waiver may have")
        for key in ("atol", "rtol"):
            values.setdefault(key, DEFAULT_TOLERANCE)
        dtypes = "dtype: float16" if half else "dtype: float32 dtype: float64"
        tolerance = " ".join(f"{key}: {value!r}" for key, value in sorted(values.items()))
        reason = printable(f"the device's tolerance; imported from {self.path}:{line} ({label})")
        for match in target.matches():
            self.importer.add("waiver", [f"match {{ {match}{dtypes} }}", f"tolerance {{ {tolerance} }}",
                                         f"reason: {quoted(reason)}", f"issue: {quoted(issue)}",
                                         f"expires: {quoted(expires)}"])
        return None


# convert_config.yaml


class ConvertConfig:
    def __init__(self, importer, path):
        self.importer = importer
        self.path = path

    def run(self, path):
        try:
            import yaml
        except ImportError:
            raise Missing("the Debian package python3-yaml is not installed") from None
        with open(path, encoding="utf-8") as file:
            try:
                root = yaml.compose(file, Loader=yaml.SafeLoader)
            except yaml.YAMLError as error:
                raise ValueError(str(error)) from None
        self.yaml = yaml
        if not isinstance(root, yaml.SequenceNode):
            raise Refused("not an adaptor's file: expected a list, one operator an element")
        known = 0
        for element in root.value:
            for key, value in self.pairs(element, "an element"):
                known += key.value == COMMON or key.value in self.importer.functions
                self.function(key.value, key, value)
        if known == 0:
            raise Refused(f"not an adaptor's file: no element is named {COMMON}, or as a function of the ABI")

    def is_scalar(self, node):
        return isinstance(node, self.yaml.ScalarNode)

    def refuse(self, node, what, why, reason=None):
        self.importer.refuse(self.path, node.start_mark.line + 1, what, why, reason)

    def pairs(self, node, what):
        if not isinstance(node, self.yaml.MappingNode):
            self.refuse(node, what, "expected NAME: with its rules below")
            return []
        pairs = {}
        for key, value in node.value:
            if not self.is_scalar(key):
                self.refuse(key, what, "a key that is not text")
                continue
            if key.value in pairs:
                self.refuse(pairs[key.value][0], f"{what}: {key.value}",
                            f"it is there again in line {key.start_mark.line + 1}", "it is there again")
            pairs[key.value] = (key, value)
        return list(pairs.values())

    def function(self, name, key, node):
        common = name == COMMON
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
                self.refuse(field, name, f"profiles have no equivalent of {field.value}")
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
                            "unsupported conversion: " + ", ".join(unknown or crossing or narrow),
                            "unsupported conversion")
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
                self.refuse(node, f"{name}: layout: {part}", "unknown layout")
            elif argument and argument not in self.importer.functions.get(name, []):
                self.refuse(node, f"{name}: layout: {part}", "the function has no such parameter")
            else:
                good.append(part)
        return ", ".join(good)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("names")
    parser.add_argument("output")
    for option in ("--device-configs", "--convert-config", "--issue", "--expires", "--chip"):
        parser.add_argument(option, default="")
    parser.add_argument("--device-configs-as", default="")
    parser.add_argument("--convert-config-as", default="")
    parser.add_argument("--verbose", action="store_true")
    arguments = parser.parse_args()
    with open(arguments.names, encoding="utf-8") as file:
        importer = Importer(json.load(file), arguments)
    for path, name, reader in ((arguments.device_configs, arguments.device_configs_as, DeviceConfigs),
                               (arguments.convert_config, arguments.convert_config_as, ConvertConfig)):
        if path:
            main.reading = name
            reader(importer, name).run(path)
    head = "# Carried over by diopi-cli profile import; client/profile/GUIDE.md says what each rule means.\n"
    if arguments.chip:
        head += f"chip: {quoted(arguments.chip)}\n"
    with open(arguments.output, "w", encoding="utf-8", errors="backslashreplace") as file:
        file.write(head + "".join(importer.rules))
    importer.report()
    return 0


run(main)
