#!/usr/bin/python3
"""Tests every Chinese text of the project: none has a word that docs/glossary.md replaces, and none has ASCII punctuation
beside Chinese.

usage: chinese_test.py, in the repository's root
"""
import re
import subprocess
import sys

# Files in Chinese. The glossary itself names the words that are not used.
FILES = ("*.zh.md", "docs/zh/*.md", "*/zh.ts", "*zh.po", "*/zh.txt")
HAN = "\u4e00-\u9fff"
failures = []


def check(condition, what):
    if not condition:
        failures.append(what)
        print("FAILED:", what)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def replaced_words(glossary):
    """{word that is not used: the word to use}, from the table of Chinese words."""
    table = glossary.partition("| word | 中文 | 不用 |")[2].split("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    return {word: row[1] for row in rows for word in re.split(", *", row[2]) if word}


def prose(path, text):
    """The text without what is code: blocks and spans of Markdown, conditions of a table of findings."""
    if path.endswith(".md"):
        text = re.sub(r"^```.*?^```", "", text, flags=re.M | re.S)
        return re.sub(r"`[^`\n]*`", "x", text)
    return re.sub(r"\w+\?", "x", text) if path.endswith(".txt") else text


def ascii_punctuation(line):
    """Whether ASCII punctuation touches Chinese; links of Markdown may."""
    return re.search(rf"[{HAN}][,;:?!()]|[,;?!(][{HAN}]", re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", line)) is not None


def check_text(path, text, words):
    for number, line in enumerate(text.splitlines(), 1):
        for word, good in words.items():
            check(word not in line, f"{path}:{number}: {word}: write {good}")
        check(not ascii_punctuation(line), f"{path}:{number}: ASCII punctuation beside Chinese: {line.strip()[:80]}")


def main():
    words = replaced_words(read("docs/glossary.md"))
    check(len(words) > 20, f"the glossary's table was not found: {words}")
    check(ascii_punctuation("算子,张量") and not ascii_punctuation("[算子](a.md)\uff0c张量"), "punctuation is found")
    paths = subprocess.run(["git", "ls-files", *FILES], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    check(len(paths) > 0, "no Chinese file was found")
    for path in paths:
        if "testdata" in path:  # what a program writes, with what a run recorded
            continue
        check_text(path, prose(path, read(path)), words)
    return 1 if failures else 0


sys.exit(main())
