#!/usr/bin/python3
"""Extracts the commands from the CI templates and runs them as the runners would, on a small vendor repository.

usage: templates_test.py BUILD_FOLDER
"""
import os
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

import yaml

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1])
# Few cases, so that the test is quick: it tests the flow.
SELECTION = "--case neg.float32.size_*"
EXPECTATIONS = 'skip neg.int* expires=2999-12-31 issue=https://issues.test/1 "not our business"\n'
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def github(document):
    """The job's variables and its steps' commands, as (name, shell, text)."""
    check(set(document) >= {"name", "jobs"}, "github: name and jobs")
    check(True in document or "on" in document, "github: on")  # YAML 1.1 reads `on` as true
    (job,) = document["jobs"].values()
    check("runs-on" in job, "github: runs-on")
    check(job["defaults"]["run"]["shell"] == "bash", "github: bash")
    steps = []
    for step in job["steps"]:
        check(("run" in step) != ("uses" in step), f"github: {step} has either run or uses")
        if "uses" in step:
            check("@" in step["uses"], f"github: {step['uses']} names a version")
        else:
            check("${{" not in step["run"], f"github: {step['name']} is plain shell")
            # What `shell: bash` means.
            steps.append((step["name"], ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c"], step["run"]))
    return job["env"], steps


def gitlab(document):
    (job,) = document.values()
    for line in job["script"]:
        check(isinstance(line, str), f"gitlab: {line!r} is one command")
    # The shell executor runs all of them in one shell, and stops at the first that fails.
    return job["variables"], [("script", ["bash", "-eo", "pipefail", "-c"], "\n".join(job["script"]))]


def run(template, steps, variables, folder, library):
    """Runs the steps until one fails. Returns its name, or None, and the output."""
    with open(os.path.join(folder, "build.sh"), "w") as script:
        script.write(f"#!/bin/sh\nmkdir -p build && cp {library} build/libdiopi_impl.so\n")
    os.chmod(os.path.join(folder, "build.sh"), 0o755)
    os.makedirs(os.path.join(folder, "expectations"), exist_ok=True)
    with open(os.path.join(folder, "expectations/demo.txt"), "w") as file:
        file.write(EXPECTATIONS)
    environment = {name: str(value) for name, value in variables.items()}
    environment.update(
        PATH=f"{BUILD}/bin:/usr/bin:/bin",
        HOME=folder,
        CHIP="demo",
        DIOPI_DATA=f"{folder}/data",
        BASE_LIBRARY=f"{BUILD}/lib/libdiopi_cpu.so",
        SELECTION=SELECTION,
        OPERATORS="--fname neg",
        GITHUB_STEP_SUMMARY=f"{folder}/summary.md",
    )
    output = ""
    for name, shell, text in steps:
        done = subprocess.run(shell + [text], cwd=folder, env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, timeout=200)
        output += done.stdout
        if done.returncode != 0:
            return name, output
    return None, output


def read(folder, name):
    try:
        with open(os.path.join(folder, name)) as file:
            return file.read()
    except OSError:
        return ""


def main():
    for template, reader in (("github-actions.yml", github), ("gitlab-ci.yml", gitlab)):
        with open(os.path.join(HERE, template)) as file:
            variables, steps = reader(yaml.safe_load(file))
        is_github = template.startswith("github")
        with tempfile.TemporaryDirectory() as folder:
            failed, output = run(template, steps, variables, folder, f"{BUILD}/lib/libdiopi_cpu.so")
            check(failed is None, f"{template}: a good library: {failed} failed:\n{output}")
            report = xml.etree.ElementTree.fromstring(read(folder, "gate.xml") or "<none/>")
            check(report.get("failures") == "0" and int(report.get("tests", 0)) > 5, f"{template}: gate.xml: {report.attrib}")
            if is_github:
                check("passed" in read(folder, "summary.md"), f"{template}: summary.md says passed")
                check("::notice title=Conformance gate::passed" in output, f"{template}: the notice:\n{output}")

            # The functions are there and do nothing.
            failed, output = run(template, steps, variables, folder, f"{BUILD}/lib/vendors/vendor_nothing.so")
            check(failed in ("Test what changed first", "Gate", "script"), f"{template}: a bad library: {failed}:\n{output}")
            check("10 cases of neg (float32)" in output, f"{template}: what fails is named:\n{output}")
            if is_github:
                # As if there were no quick step.
                failed, output = run(template, [step for step in steps if step[0] != "Test what changed first"], variables,
                                     folder, f"{BUILD}/lib/vendors/vendor_nothing.so")
                check(failed == "Gate", f"{template}: a bad library: {failed}:\n{output}")
                check("::error title=new failure%3A 10 cases of neg (float32)::" in output, f"{template}: annotations:\n{output}")
                check("FAILED" in read(folder, "summary.md"), f"{template}: summary.md says FAILED")
            report = xml.etree.ElementTree.fromstring(read(folder, "gate.xml") or "<none/>")
            check(is_github or report.get("failures") not in ("0", None), f"{template}: gate.xml: {report.attrib}")

            # A library that does not load ends the job before the gate, which must not judge an earlier run.
            failed, output = run(template, steps, variables, folder, "/dev/null")
            check(failed in ("Test what changed first", "Test everything", "script"), f"{template}: no library: {failed}")
            check("Gate " not in output, f"{template}: the gate ran:\n{output}")
    print("failed" if failures else "passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
