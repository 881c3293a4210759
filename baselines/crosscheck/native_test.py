"""PyTorch as a vendor: with real programs and PyTorch where it is installed.

usage: native_test.py BUILD
"""
import concurrent.futures
import contextlib
import io
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else HERE.parent.parent / "build"

try:
    import h5py  # noqa: F401
    import torch
    import native
except ImportError:
    torch = None


def verdict(outcome, gates=""):
    return {"outcome": outcome, "outputs": [{"gates": gates}], "reason": "out: wrong"}


@unittest.skipIf(torch is None, "no PyTorch or h5py (docker/packages-crosscheck.txt)")
class Explanations(unittest.TestCase):
    def setUp(self):
        self.tally = native.Tally([{"cases": ["add.bfloat16.*"], "why": "w", "where": "f"},
                                   {"cases": ["sort.*"], "missing": "no such dtype"}])

    def test_every_accusation_needs_one(self):
        self.tally.add("add.bfloat16.n1", verdict("OUTCOME_FAIL", "P"), None)
        self.tally.add("sort.int8.n1", None, "expected a float")
        self.assertEqual((self.tally.findings, self.tally.unused()), ([], []))
        self.tally.add("add.float32.n1", verdict("OUTCOME_FAIL", "P"), None)
        self.assertEqual(self.tally.findings, ["add.float32.n1: out: wrong"])

    def test_one_that_nothing_needs_is_a_finding(self):
        self.tally.add("add.bfloat16.n1", verdict("OUTCOME_PASS"), None)
        self.assertEqual(len(self.tally.unused()), 2)

    def test_an_error_is_not_explained_by_a_wrong_result_nor_the_other_way_round(self):
        self.tally.add("add.bfloat16.n1", None, "expected a float")
        self.tally.add("sort.int8.n1", verdict("OUTCOME_FAIL", "X"), None)
        self.assertEqual(len(self.tally.findings), 2)

    def test_a_wrong_shape_is_not_explained(self):
        self.tally.add("add.bfloat16.n1", verdict("OUTCOME_FAIL", "P"), None)
        self.tally.add("add.bfloat16.n3", verdict("OUTCOME_FAIL", "S"), None)
        self.assertEqual(self.tally.findings, ["add.bfloat16.n3: out: wrong"])

    def test_a_missing_kernel_needs_none(self):
        self.tally.add("add.float16.n1", None, "\"add\" not implemented for 'Half'")
        self.assertEqual(self.tally.rows["add"]["no kernel"], 1)
        self.assertEqual(self.tally.findings, [])

    def test_a_case_without_any_output_is_a_finding(self):
        self.tally.add("add.float32.n1", None, None)
        self.assertEqual(len(self.tally.findings), 1)


@unittest.skipIf(torch is None, "no PyTorch or h5py (docker/packages-crosscheck.txt)")
class Judged(unittest.TestCase):
    """PyTorch's results of two operators, as they are and spoiled."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.data = pathlib.Path(cls.folder.name)
        subprocess.run([str(BUILD / "bin/diopi-cli"), "gen", "--data", cls.folder.name, "--fname", "relu,sort"], check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def findings(self, spoil=lambda name, results: results):
        functions = {name: (lambda a, name=name, call=call: spoil(name, call(a)))
                     for name, call in native.load_functions(HERE.parent).items()}
        with contextlib.redirect_stdout(io.StringIO()):
            tally, _ = native.run(self.data, BUILD / "bin/diopi-judge", functions, [])
        self.assertGreater(sum(row["passed"] for row in tally.rows.values()), 20)
        return tally.findings

    def test_right_results_pass(self):
        self.assertEqual(self.findings(), [])

    def test_a_wrong_element_is_found(self):
        def spoil(name, results):
            if name == "diopiRelu" and results["out"].dtype == torch.float64 and results["out"].numel():
                results["out"].view(-1)[-1] += 1e-9
            return results
        found = self.findings(spoil)
        self.assertTrue(found)
        self.assertTrue(all(line.startswith("relu.float64.") for line in found), found)

    def test_an_index_of_another_element_is_found(self):
        def spoil(name, results):
            if name == "diopiSort":
                results["indices"] = results["indices"].flip(-1) if results["indices"].dim() else results["indices"]
            return results
        self.assertTrue(self.findings(spoil))

    def test_a_judge_that_fails_ends_the_check_with_its_words(self):
        judge = pathlib.Path(self.folder.name) / "judge"
        judge.write_text("#!/bin/sh\necho 'no such folder' >&2\nexit 3\n")
        judge.chmod(0o755)
        with self.assertRaisesRegex(SystemExit, "crosscheck: no such folder"):
            native.run(self.data, judge, native.load_functions(HERE.parent), [])

    def test_a_process_that_dies_is_not_waited_for(self):
        with self.assertRaises(concurrent.futures.process.BrokenProcessPool):
            native.in_processes(lambda part: os._exit(part), [1, 2])


if __name__ == "__main__":
    unittest.main()
