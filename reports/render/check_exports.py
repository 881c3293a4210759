#!/usr/bin/python3
"""Checks files that other programs read: check_exports.py SCHEMA FORMAT FILE ..., FORMAT one of json, diff, junit, cdash.

json and diff: against SCHEMA, which message_types makes. junit: against what Jenkins' xUnit plugin accepts (junit-10.xsd) and
GitLab documents, and that the sums are right. cdash: against the structure ctest 3.25 writes. Prints every finding,
exit status 1 when there is one.
"""
import json
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

import jsonschema

# Element: required attributes, optional attributes, children; None: text only.
JUNIT = {
    "testsuites": (set(), {"name", "time", "tests", "failures", "errors"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors"},
                  {"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
                  {"properties", "testcase", "system-out", "system-err"}),
    "properties": (set(), set(), {"property"}),
    "property": ({"name", "value"}, set(), set()),
    "testcase": ({"name"}, {"time", "classname", "group"}, {"skipped", "error", "failure", "system-out", "system-err"}),
    "skipped": (set(), {"type", "message"}, None),
    "error": (set(), {"type", "message"}, None),
    "failure": (set(), {"type", "message"}, None),
    "system-out": (set(), set(), None),
    "system-err": (set(), set(), None),
}
CDASH = {
    "Site": ({"BuildName", "BuildStamp", "Name", "Generator"}, None, ["Testing"]),
    "Testing": (set(), set(), ["StartDateTime", "StartTestTime", "TestList", "Test*", "EndDateTime", "EndTestTime",
                               "ElapsedMinutes"]),
    "TestList": (set(), set(), ["Test*"]),
    "Test": (set(), {"Status"}, ["Name", "Path", "FullName", "FullCommandLine", "Results", "Labels*"]),
    "Results": (set(), set(), ["NamedMeasurement*", "Measurement"]),
    "NamedMeasurement": ({"type", "name"}, set(), ["Value"]),
    "Measurement": (set(), set(), ["Value"]),
    "Labels": (set(), set(), ["Label*"]),
}
GITLAB_LIMIT = 30 << 20  # bytes of one report file


def check_schema(path, name):
    schema = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    for definition in schema["$defs"].values():
        if "properties" in definition:
            definition["additionalProperties"] = False
    with open(path, encoding="utf-8") as file:
        value = json.load(file)
    validator = jsonschema.Draft202012Validator({"$defs": schema["$defs"], "$ref": f"#/$defs/{name}"})
    for error in validator.iter_errors(value):
        yield f"{'/'.join(map(str, error.absolute_path))}: {error.message[:300]}"


def check_attributes(element, required, optional):
    names = set(element.attrib)
    for name in sorted(required - names):
        yield f"<{element.tag}> lacks the attribute {name}"
    if optional is None:  # any
        return
    for name in sorted(names - required - optional):
        yield f"<{element.tag}> may not have the attribute {name}"


def check_junit(path):
    if pathlib.Path(path).stat().st_size > GITLAB_LIMIT:
        yield "GitLab takes files of at most 30 MB"
    root = ElementTree.parse(path).getroot()
    if root.tag != "testsuites":
        yield f"the root is <{root.tag}>"
    for element in root.iter():
        required, optional, children = JUNIT.get(element.tag, (set(), set(), None))
        if element.tag not in JUNIT:
            yield f"<{element.tag}> is unknown"
        yield from check_attributes(element, required, optional)
        for child in element:
            if children is None or child.tag not in children:
                yield f"<{child.tag}> may not be in <{element.tag}>"
        if "time" in element.attrib and not re.fullmatch(r"[0-9]+\.[0-9]+", element.get("time")):
            yield f"time {element.get('time')} is not in seconds"
    yield from check_junit_sums(root)


def check_junit_sums(root):
    keys = set()
    for suite in root.iter("testsuite"):
        cases = suite.findall("testcase")
        sums = {"tests": len(cases)}
        for attribute, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
            sums[attribute] = sum(case.find(tag) is not None for case in cases)
        for attribute, count in sums.items():
            if int(suite.get(attribute)) != count:
                yield f"suite {suite.get('name')} says {attribute} {suite.get(attribute)}, and has {count}"
        for case in cases:
            key = (case.get("classname"), case.get("name"))
            if key in keys:
                yield f"{key} occurs twice: GitLab ignores the second"
            keys.add(key)
            for finding in list(case.findall("failure")) + list(case.findall("error")):
                if "\n" in finding.get("message", "\n"):
                    yield f"the message of {key} is not one line"
                if not (finding.text or "").strip():
                    yield f"{key} has no text, which is all that GitLab shows"


def check_cdash(path):
    root = ElementTree.parse(path).getroot()
    if root.tag != "Site":
        yield f"the root is <{root.tag}>"
    if not re.fullmatch(r"[0-9]{8}-[0-9]{4}-[A-Za-z]+", root.get("BuildStamp", "")):
        yield f"BuildStamp {root.get('BuildStamp')} is not YYYYMMDD-HHMM-GROUP"
    for element in root.iter():
        if element.tag not in CDASH:
            continue
        required, optional, children = CDASH[element.tag]
        yield from check_attributes(element, required, optional)
        if element.tag == "Test" and "Status" not in element.attrib:
            continue  # a name in TestList
        pattern = "".join(f"(?:{name[:-1]} )*" if name.endswith("*") else f"(?:{name} )" for name in children)
        found = "".join(child.tag + " " for child in element)
        if not re.fullmatch(pattern, found):
            yield f"<{element.tag}> holds {found[:200]}, expected {children}"
    listed = [test.text for test in root.findall("Testing/TestList/Test")]
    tests = root.findall("Testing/Test")
    if listed != [test.findtext("FullName") for test in tests]:
        yield "TestList and the tests differ"
    for test in tests:
        if test.get("Status") not in ("passed", "failed", "notrun"):
            yield f"status {test.get('Status')}"


def main():
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    checks = {"json": lambda path: check_schema(path, "RunReportFile"), "diff": lambda path: check_schema(path, "DiffFile"),
              "junit": check_junit, "cdash": check_cdash}
    findings = 0
    for path in sys.argv[3:]:
        for finding in checks[sys.argv[2]](path):
            findings += 1
            if findings <= 20:
                print(f"{path}: {finding}")
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
