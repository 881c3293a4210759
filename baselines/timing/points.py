"""Points of a model's size as operator files for `diopi-cli --cases`: the functions of cases/ops, timed at these points.

An operator's points are those of `baselines/ops/<family>/<operator>_timing.textproto`. One that has none is timed at the
points of its class: a set of cases/sets that its cover takes and that has a file here. What the points leave open comes
from the operator's timing file, where that gives `in` and `attr` alone, and from the cover.

usage: points.py FOLDER | --source FILE.cc (for client/setup/timing_points.h)
"""
import collections
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
DTYPES = "dtypes: [float32, float16]"

TOKEN = re.compile(r'"(?:\\.|[^"\\])*"|#[^\n]*|(\w+)\s*\{|\}')
Block = collections.namedtuple("Block", "name body whole start")


def blocks(text, *names):
    """The top-level messages `name { body }` of these names."""
    found, depth, opening = [], 0, None
    for token in TOKEN.finditer(text):
        if token[1]:
            opening = token if depth == 0 else opening
            depth += 1
        elif token[0] == "}":
            depth -= 1
            if depth == 0 and (not names or opening[1] in names):
                found.append(Block(opening[1], text[opening.end():token.start()], text[opening.start():token.end()],
                                   opening.start()))
    return found


def without(text, *names):
    for block in reversed(blocks(text, *names)):
        text = text[:block.start] + text[block.start + len(block.whole):]
    return text


def field(text, name):
    """A field's value as written, a string or a list of strings, or an empty text."""
    found = re.search(r'\b%s: (\[[^\]]*\]|"\w+")' % name, without(text))
    return found[1] if found else ""


def given(text):
    """{name: the `in` or `attr`} that a text gives all its points."""
    return {field(block.body, "name").strip('"'): block.whole for block in blocks(text, "in", "attr")}


def given_by(cover, points):
    """What a cover gives all its rows, including the ordinary classes of its own axes. The points give the sizes."""
    result = {}
    for text in [cover] + [block.body for axis in blocks(cover, "axis") for block in blocks(axis.body, "class")[:1]]:
        for name, whole in given(text).items():
            if 'in { name: "%s"' % name in points:
                body = blocks(whole)[0].body
                kept = [block.whole for block in blocks(body, "fill")] + re.findall(r'\bdtype: "\w+"', body)
                whole = 'in { name: "%s" %s }' % (name, " ".join(kept))
            if not re.search(r"\b(dims|below|es?): ", whole):  # over the variables of a row
                result[name] = whole
    return result


def classes(text):
    """[(class, cover)] of an operator's file: of the covers in a floating type, the first for the same functions."""
    found = {}
    for cover in blocks(text, "cover"):
        timed = [name for name in re.findall(r"\w+", field(cover.body, "set")) if (HERE / (name + ".textproto")).exists()]
        if timed and re.search(r"\b(floating|numeric|all|float32|float16)\b", without(cover.body)):
            found.setdefault((timed[-1], field(cover.body, "functions")), cover.body)
    return [(name, cover) for (name, _), cover in found.items()]


def grids(path, own_path):
    """The text of the grids at which the operator of this file is timed; empty: none of a model's size."""
    own = own_path.read_text() if own_path.exists() else ""
    if blocks(own, "point"):
        return "grid {\n%s\n%s}\n" % (DTYPES, own)
    texts, labels = [], set()
    for name, cover in classes(path.read_text()):
        points = (HERE / (name + ".textproto")).read_text()
        for role, argument in re.findall(r'\brole \{ name: "(\w+)" as: "(\w+)" \}', cover):
            points = points.replace('name: "%s"' % role, 'name: "%s"' % argument)
        label, functions = field(blocks(points, "point")[0].body, "label"), ""
        if label in labels:  # another form of the operator
            points = points.replace(label, '"%s_%d"' % (label.strip('"'), len(texts) + 1))
            functions = "functions: %s\n" % (field(cover, "functions") or "[]")
        labels.add(label)
        open_ones = {**given_by(cover, points), **given(own)}
        texts.append("grid {\n%s\n%s%s%s\n}\n" % (DTYPES, functions, points, "\n".join(open_ones.values())))
    return "".join(texts)


def operator_files(root=HERE.parent.parent):
    """[(path, text)] for each operator with such points: its functions with only these points."""
    found = []
    owned = set((root / "baselines" / "ops").glob("*/*_timing.textproto"))
    for path in sorted((root / "cases" / "ops").glob("*/*.textproto")):
        own = root / "baselines" / "ops" / path.parent.name / (path.stem + "_timing.textproto")
        owned.discard(own)
        text = grids(path, own)
        if text:
            found.append((path, without(path.read_text(), "grid", "cover") + text))
    for path in owned:
        raise SystemExit("%s: cases/ops/%s has no operator of that name" % (path, path.parent.name))
    return found


def write_cases(folder, root=HERE.parent.parent):
    """Writes a --cases folder for each of these operators. Returns names."""
    files = operator_files(root)
    for path, text in files:
        (folder / path.stem).mkdir()
        (folder / path.stem / path.name).write_text(text)
    return [path.stem for path, _ in files]


def write_source(path):
    entries = "".join('      {"%s", R"points(%s)points"},\n' % (file.stem, text) for file, text in operator_files())
    path.write_text('''// Generated by baselines/timing/points.py.
#include "client/setup/timing_points.h"

namespace diopi::agent {

std::vector<TimingText> TimingTexts() {
  return {
%s  };
}

}  // namespace diopi::agent
''' % entries)


if __name__ == "__main__":
    if sys.argv[1] == "--source":
        write_source(pathlib.Path(sys.argv[2]))
    else:
        write_cases(pathlib.Path(sys.argv[1]))
