"""The table's making: with real libraries and PyTorch on the CPU where it is installed, tiny counts, no speed judged.

usage: timing_test.py BUILD
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import types
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else HERE.parent.parent / "build"
sys.path[:0] = [str(HERE), str(HERE.parent / "crosscheck")]

import points

try:
    import torch
except ImportError:
    torch = None


def run_program(words, **environment):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, env=dict(os.environ, **environment))


class Points(unittest.TestCase):
    def listed(self, root):
        """({operator: its cases of a model's size}, the operators that should have some)."""
        with tempfile.TemporaryDirectory() as folder:
            names = points.write_cases(pathlib.Path(folder), root)
            listed = run_program([BUILD / "bin/diopi-cli", "list", "cases", "--case", "*.model_*", "--cases", folder])
        self.assertEqual(listed.returncode, 0, listed.stderr)
        found = {}
        for line in listed.stdout.splitlines():
            found.setdefault(line.split(".")[0], set()).add(line)
        return found, names

    def made_up(self, root, cover, own=None):
        """An operator made_up that nobody has heard of: sin's function under another name."""
        for part in ("cases", "baselines"):
            (root / part / "ops" / "elementwise").mkdir(parents=True)
        (root / "cases/ops/elementwise/made_up.textproto").write_text(
            'operator: "made_up" family: "elementwise"  # {\n'
            'functions { set: "unary_float" name: "Sin" judge { kind: MATH } }\n'
            'grid { dtypes: float32 point { label: "a" reveals: "}" in { name: "input" shape: 3 } } }\n' + cover)
        if own is not None:
            (root / "baselines/ops/elementwise/made_up_timing.textproto").write_text(own)

    def test_each_is_a_case_of_its_operator(self):
        found, names = self.listed(HERE.parent.parent)
        self.assertEqual(set(found), set(names))
        self.assertIn("sub.inplace_scalar.float16.model_scalar", found["sub"])

    def test_every_point_can_be_called(self):
        """With sizes a 64th of what they are, where they are large: what counts here is that the reference takes them."""
        with tempfile.TemporaryDirectory() as folder:
            points.write_cases(pathlib.Path(folder))
            for path in pathlib.Path(folder).glob("*/*.textproto"):
                path.write_text(re.sub(r"\b\d{3,}\b", lambda size: str(int(size[0]) // 64), path.read_text()))
            done = run_program([BUILD / "bin/diopi-cli", "time", "--impl", BUILD / "lib/libdiopi_cpu.so", "--cases", folder, "--case",
                        "*.model_*", "--samples", "1", "--calls", "1", "--warmup", "1"])
        self.assertEqual(done.returncode, 0, done.stderr)
        errors = [line for line in map(json.loads, done.stdout.splitlines()) if "error" in line]
        self.assertEqual([(line["case"], line["error"]) for line in errors], [])

    def test_a_class_is_a_shared_set(self):
        sets = {path.name for path in (HERE.parent.parent / "cases/sets").glob("*.textproto")}
        self.assertLessEqual({path.name for path in HERE.glob("*.textproto")}, sets)

    def test_a_new_unary_operator_is_timed_without_a_word(self):
        with tempfile.TemporaryDirectory() as root:
            self.made_up(pathlib.Path(root), 'cover { set: "unary" dtype_sets: floating }\n')
            found, _ = self.listed(pathlib.Path(root))
        self.assertEqual(found, {"made_up": {"made_up.%s%s.model_activations" % (form, dtype) for form in ("", "inplace.")
                                             for dtype in ("float32", "float16")}})

    def test_points_of_its_own_stand_instead(self):
        own = 'point { label: "model_mine" reveals: "time" dtypes: float32 in { name: "input" shape: [9, 9] } }\n'
        with tempfile.TemporaryDirectory() as root:
            self.made_up(pathlib.Path(root), 'cover { set: "unary" dtype_sets: floating }\n', own)
            found, _ = self.listed(pathlib.Path(root))
        self.assertEqual(found, {"made_up": {"made_up.float32.model_mine", "made_up.inplace.float32.model_mine"}})

    def test_no_class_and_no_points(self):
        for cover in ('cover { set: "unary_integers" dtype_sets: integral }\n', 'cover { set: "unary" dtypes: int8 }\n', ""):
            with tempfile.TemporaryDirectory() as root:
                self.made_up(pathlib.Path(root), cover)
                self.assertEqual(points.write_cases(pathlib.Path(root), pathlib.Path(root)), [])

    def test_points_of_no_operator(self):
        with tempfile.TemporaryDirectory() as root:
            self.made_up(pathlib.Path(root), "", "")
            (pathlib.Path(root) / "cases/ops/elementwise/made_up.textproto").unlink()
            with self.assertRaisesRegex(SystemExit, "made_up_timing.textproto: cases/ops/elementwise has no operator"):
                points.write_cases(pathlib.Path(root), pathlib.Path(root))


class WithoutTorch(unittest.TestCase):
    def test_it_says_so(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "torch.py").write_text("raise ImportError('none')\n")
            done = run_program([sys.executable, HERE / "timing.py", "--prefix", BUILD], PYTHONPATH=folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no PyTorch", done.stderr)


@unittest.skipIf(torch is None, "no PyTorch (docker/packages-crosscheck.txt)")
class Table(unittest.TestCase):
    def timing(self, folder, *words, library=BUILD / "lib/libdiopi_cpu.so"):
        return run_program([sys.executable, HERE / "timing.py", "--prefix", BUILD, "--impl", library, "--output",
                    pathlib.Path(folder, "table.md"), "--device", "cpu", "--core", "--samples", "2", "--calls", "2",
                    "--warmup", "1", *words])

    def test_rows_of_both_sides(self):
        with tempfile.TemporaryDirectory() as folder:
            done = self.timing(folder, "--fname", "softmax", "permute", "nms", "adamw", "conv2d")
            self.assertEqual(done.returncode, 0, done.stderr)
            text = pathlib.Path(folder, "table.md").read_text()
            raw = json.loads(pathlib.Path(folder, "table.md.json").read_text())
        rows = {(row["function"], row["dtype"]): row for row in raw["rows"]}
        for function in ("diopiSoftmax", "diopiSoftmaxBackward", "diopiPermute", "diopiAdamW", "diopiConvolution2dBackward"):
            row = rows[function, "float32"]
            for side in ("ours", "torch"):
                self.assertEqual(len(row[side]["microseconds"]), 2)
                self.assertTrue(all(value > 0 for value in row[side]["microseconds"]))
        self.assertEqual(rows["diopiPermute", "float32"]["torch"]["marks"], "v")
        self.assertRegex(text, r"\| Nms \| float32 \| \d{4}×4, \d{4} \|")
        self.assertIn("| — | — | c; torchvision's |", text)
        for part in ("- Device: ", "PyTorch " + torch.__version__, raw["library"]["sha256"], "geometric mean"):
            self.assertIn(part, text)
        self.assertEqual(text.count("\n| "), 1 + len(rows))

    def test_runs_are_merged_and_the_last_row_counts(self):
        def run(version, times, **changed):
            rows = [{"case": case, "function": "diopiAdd", "dtype": "float32", "shapes": "9", "ours": {"microseconds": [time]},
                     "torch": {"microseconds": [2.0]}} for case, time in times.items()]
            return dict({"library": {"vendor": "ours", "version": version, "sha256": "s" + version}, "device": "a GPU",
                         "versions": "PyTorch 9", "calls": 50, "clock": "A clock.", "measured": "2026-11-26", "rows": rows},
                        **changed)
        with tempfile.TemporaryDirectory() as folder:
            files = {"one": run("1", {"add.float32.model_a": 7.0, "add.float32.model_b": 5.0}),
                     "two": run("2", {"add.float32.model_a": 3.0}), "other": run("3", {}, device="another GPU")}
            paths = {name: pathlib.Path(folder, name) for name in files}
            for name, content in files.items():
                paths[name].write_text(json.dumps(content))
            table = pathlib.Path(folder, "t.md")
            merge = [sys.executable, HERE / "timing.py", "--output", table, "--merge", paths["one"], paths["two"]]
            done = run_program(merge)
            self.assertEqual((done.returncode, done.stdout), (0, "timing: %s: 2 rows of 2 runs\n" % table))
            text = table.read_text()
            differ = run_program(merge + [paths["other"]])
        self.assertIn("| Add | float32 | 9 | 3 (3–3) | 2 (2–2) | 1.50 |", text)
        self.assertIn("| 5 (5–5) | 2 (2–2) | 2.50 |", text)
        self.assertNotIn("7 (7", text)
        self.assertIn("- Ours: 1 rows by ours 2, SHA-256 s2", text)
        self.assertEqual(differ.returncode, 1)
        self.assertIn("the files differ in 'device': a GPU, another GPU", differ.stderr)

    def test_what_is_not_measured_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            late = self.timing(folder, "--fname", "add", "--limit-s", "-1")
            self.assertEqual(late.returncode, 2)
            self.assertIn("nothing was measured: no time left", late.stderr)
            bad = self.timing(folder, "--fname", "add", library="/no/such.so")
            self.assertEqual(bad.returncode, 2)
            self.assertIn("/no/such.so", bad.stderr)
            unknown = self.timing(folder, "--fname", "nothing")
            self.assertIn("nothing", unknown.stderr)
            self.assertNotEqual(unknown.returncode, 0)
            self.assertEqual(os.listdir(folder), [])
            partial = self.timing(folder, "--fname", "add", library=BUILD / "lib/vendors/vendor_noimplement.so")
            self.assertEqual(partial.returncode, 1)
            self.assertIn("| — |", pathlib.Path(folder, "table.md").read_text())


@unittest.skipIf(torch is None, "no PyTorch (docker/packages-crosscheck.txt)")
class Calls(unittest.TestCase):
    def test_a_gradient_is_repeated_without_its_forward(self):
        import torch_time
        forwards = []

        def function(a):
            x = a.input.clone().requires_grad_()
            forwards.append(1)
            return {"grad_input": torch.autograd.grad((x * x).sum(), x)[0]}

        call, marks = torch_time.timed_call(function, {"dtype": "float32", "args": [{"name": "input", "tensor": {}}]},
                                            {"input": torch.ones(3)})
        for _ in range(3):
            self.assertEqual(call()[0].tolist(), [2, 2, 2])
        self.assertEqual((len(forwards), marks), (1, ""))

    def test_layouts(self):
        import torch_time
        dense = torch.arange(6.0).reshape(2, 3)
        self.assertIs(torch_time.laid_out(dense, {"strides": ["3", "1"]}), dense)
        self.assertEqual(torch_time.laid_out(dense, {"strides": ["1", "2"]}).stride(), (1, 2))
        row = torch_time.laid_out(torch.ones(4, 3), {"strides": ["0", "1"]})
        self.assertEqual((row.stride(), row.sum().item()), ((0, 1), 12))

    def test_the_device_clock(self):
        """CUDA's events, played by a fake: the order of the calls, and what is late."""
        import torch_time
        log, reached = [], [False]

        class Event:
            def __init__(self, enable_timing):
                assert enable_timing
            def record(self):
                log.append("record")
            def query(self):
                return reached[0]
            def synchronize(self):
                log.append("wait")
            def elapsed_time(self, stop):
                return 1.5

        original = torch.cuda
        torch.cuda = types.SimpleNamespace(Event=Event, synchronize=lambda: log.append("all"),
                                           _sleep=lambda cycles: log.append("hold"))
        try:
            self.assertEqual(torch_time.device_sample(lambda: log.append("call"), 2), (1500.0, 0))
            self.assertEqual(log, ["all", "hold", "record", "call", "call", "record", "wait"])
            reached[0] = True
            self.assertEqual(torch_time.device_sample(lambda: None, 2), (1500.0, 1))
        finally:
            torch.cuda = original


if __name__ == "__main__":
    unittest.main()
