#!/usr/bin/python3
"""Tests that reports/document/zh.po has every text that the sources of reports/ hand to a Translator, and no other; that a
translation uses the same values; and that it has Chinese punctuation.

usage: catalogue_test.py, in the repository's root
"""
import glob
import re
import sys

LITERAL = r'"(?:[^"\\]|\\.)*"'
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def joined(literals):
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', literals)).replace('\\"', '"')


def texts_of(source):
    """The texts that a source hands to `t(...)` or `t_(...)`; adjacent literals are one."""
    return {joined(found) for found in re.findall(rf"\bt_?\(\s*((?:{LITERAL}\s*)+)[,)]", source)}


def catalogue(po):
    pairs = re.findall(rf"^msgid ({LITERAL})\nmsgstr ({LITERAL})$", po, re.M)
    check(len(pairs) == len(re.findall(r"^msgid ", po, re.M)), "every msgid is followed by its msgstr, each on one line")
    return {joined(english): joined(chinese) for english, chinese in pairs if joined(english)}


def values(text):
    return sorted(set(re.findall(r"\$\d", text)))


def check_catalogue(used, chinese):
    for text in sorted(used - set(chinese)):
        check(False, f"zh.po has no translation of {text!r}")
    for text in sorted(set(chinese) - used):
        check(False, f"zh.po has a text that nothing uses: {text!r}")
    for english, text in chinese.items():
        check(text != "", f"zh.po: {english!r} is not translated")
        check("|" not in text, f"zh.po: {english!r}: Chinese has one form for every number")
        check(values(english) == values(text), f"zh.po: {english!r} and its translation use other values")
        check(not re.search(r"[\u4e00-\u9fff][,;:?!()]|[,;:?!()][\u4e00-\u9fff]", text),
              f"zh.po: {text!r} has ASCII punctuation beside Chinese")


def main():
    check(texts_of('a = t("one " // no\n); x(t_("two", 3), other("three"));\n t("four "\n   "five")') ==
          {"two", "four five"}, "texts are found")
    used = set()
    for path in glob.glob("reports/**/*.cc", recursive=True):
        if not path.endswith("_test.cc"):
            used |= texts_of(read(path))
    used |= set(re.findall(r'Translator\(document\.language\)\("([^"]*)"\)', read("reports/document/html.cc")))
    check(len(used) > 100, f"only {len(used)} texts were found")
    check_catalogue(used, catalogue(read("reports/document/zh.po")))
    return 1 if failures else 0


sys.exit(main())
