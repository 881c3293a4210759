"""Random calls compared with PyTorch, with real programs and PyTorch where it is installed.

usage: explored_test.py BUILD
"""
import argparse
import contextlib
import io
import os
import pathlib
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else HERE.parent.parent / "build"

try:
    import h5py  # noqa: F401
    import torch
    import explored
except ImportError:
    torch = None


@unittest.skipIf(torch is None, "no PyTorch or h5py (docker/packages-crosscheck.txt)")
class Explored(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, excuses="", spoil=None):
        """Calls of add and softmax: (exit status, counts, files written)."""
        path = self.folder / "excused.toml"
        path.write_text(excuses)
        compared = explored.Torch(BUILD, self.folder / "found", explored.Excuses(path))
        if spoil:
            right = compared.functions["diopiAdd"]
            compared.functions["diopiAdd"] = lambda a: spoil(right(a))
        with contextlib.redirect_stdout(io.StringIO()):
            status = compared.run(96, None, 3, ["diopiAdd", "diopiSoftmax"])
        return status, compared.counts, sorted((self.folder / "found").glob("*.textproto"))

    def test_right_references_agree(self):
        status, counts, files = self.compare()
        self.assertEqual((status, counts["findings"], files), (0, 0, []))
        self.assertGreater(counts["calls"], 60)

    def test_a_call_that_ends_pytorch_is_a_finding(self):
        def spoil(results):
            if results["out"].dtype == torch.float64 and results["out"].numel() % 2 == 1:
                os._exit(8)
            return results
        status, counts, files = self.compare(spoil=spoil)
        self.assertEqual((status, counts["findings"]), (1, len(files)))
        self.assertTrue(files)
        for path in files:
            self.assertTrue(path.read_text().startswith("# " + path.stem + ": PyTorch ended the process"))
        self.assertEqual(counts["calls"], self.compare()[1]["calls"])

    def test_a_disagreement_is_a_finding_with_its_call(self):
        def spoil(results):
            return {"out": results["out"] + 1 if results["out"].is_floating_point() else results["out"]}
        status, counts, files = self.compare(spoil=spoil)
        self.assertEqual((status, counts["findings"]), (1, len(files)))
        self.assertTrue(files)
        for path in files:
            text = path.read_text()
            self.assertTrue(text.startswith("# " + path.stem + ": out: "), text[:200])
            self.assertIn('operator: "add"', text)
            self.assertIn('label: "x3', text)
        excuse = '[[excuse]]\ncases = ["add.*"]\nerror = "elements differ"\nwhy = "w"\n'
        self.assertEqual(self.compare(excuse, spoil)[1]["excused"], len(files))

    def test_amounts(self):
        rows = [("5000", (5000, None)), ("90s", (None, 90)), ("1.5m", (None, 90)), ("2h", (None, 7200))]
        for text, amount in rows:
            self.assertEqual(explored.parse_amount(text), amount)
        for text in ("", "0", "-5", "10d", "0s", "m"):
            with self.assertRaisesRegex(argparse.ArgumentTypeError, "expected a number of calls"):
                explored.parse_amount(text)

    def test_every_excuse_says_why(self):
        for entry in explored.Excuses(HERE / "explored_excused.toml").entries:
            self.assertTrue(entry["cases"] and entry["error"] and entry["why"], entry)


if __name__ == "__main__":
    unittest.main()
