"""The points of points.txt as operator files for `diopi-cli --cases`: each operator's functions in cases/ops, these points.

usage: points.py FOLDER
"""
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def points():
    """points.txt by operator."""
    parts = (HERE / "points.txt").read_text().split('\noperator: "')[1:]
    return {part.split('"', 1)[0]: part.split("\n", 1)[1] for part in parts}


def write_cases(folder):
    """An operator file for --cases of each operator with points: its functions, and these points alone."""
    sources = {path.stem: path for path in (HERE.parent.parent / "cases" / "ops").glob("*/*.textproto")}
    for name, grid in points().items():
        if name not in sources:
            raise SystemExit("points.txt: there is no operator '%s' in cases/ops" % name)
        head = sources[name].read_text().split("\ngrid {", 1)[0]
        (folder / (name + ".textproto")).write_text(head + "\n" + grid)


if __name__ == "__main__":
    write_cases(pathlib.Path(sys.argv[1]))
