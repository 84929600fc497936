"""The tests that show what follows from a name: names/effects.lst.

A line is `SECTION NAME PATH CASE`. NAME is as in the row, with its spaces (`qsub -a`), and CASE is a test case of Boost.Test or a test
method of unittest in the file PATH. Its assertions fail if nothing followed from the name: that it is taken and shown is not enough.
"""
import os
import re

BOOST_CASE = re.compile(r"^BOOST_\w+_TEST_CASE\((\w+)\b(?:[^\n]*\{[^\n]*\}$|.*?^\})", re.M | re.S)
METHOD = re.compile(r"^( +)def (test_\w+)\(.*?(?=^(?! *\n| *\Z|\1 ))", re.M | re.S)
CAN_HAVE_AN_EFFECT = ("works", "differs")


def entries(path):
    with open(path, encoding="utf-8") as f:
        lines = [line.split() for line in f if line.strip() and not line.startswith("#")]
    return [(words[0], " ".join(words[1:-2]), *words[-2:]) for words in lines]


def word_of(name):
    """The word of a row's name that a test must have: `depend` of `qsub -W depend=`, `h` of `flag h`."""
    return name.split()[-1].partition("=")[0].strip("$,")


def found_in(text, path):
    """The text of each case of a file by its name, and what stands outside of all of them: fixtures and helpers."""
    if path.endswith(".py"):
        text += "\npass\n"
        found = [(match.group(2), match) for match in METHOD.finditer(text)]
    else:
        found = [(match.group(1), match) for match in BOOST_CASE.finditer(text)]
    helpers, at = [], 0
    for _, match in found:
        helpers.append(text[at:match.start()])
        at = match.end()
    return {name: match.group() for name, match in found}, "\n".join([*helpers, text[at:]])


def is_wrong(root, rows, name, path, case):
    """Why a line is refused, or None. `rows` are those of its section."""
    of_name = [row for row in rows if row.name == name]
    if not of_name:
        return "there is no such row"
    for row in of_name:
        if row.verdict not in CAN_HAVE_AN_EFFECT:
            return f"its row says {row.verdict}"
        if row.also:
            return "it is in shown_by.lst too, which it needs no more"
        if row.effect:
            return "its effect is shown already"
    there = os.path.join(root, path)
    if not os.path.isfile(there):
        return f"there is no file {path}"
    with open(there, encoding="utf-8") as f:
        cases, helpers = found_in(f.read(), path)
    if case not in cases:
        return f"{path} has no case {case}"
    text = (cases[case] + helpers).replace("\\n", " ")     # in the texts of files
    if not re.search(rf"(?<![\w-]){re.escape(word_of(name))}(?!\w)", text):
        return f"neither {case} nor a helper in {path} has the word {word_of(name)}"
    return None


def read(root, list_file, sections):
    """Puts the tests into the rows; what is wrong with a line is said in its section."""
    for file, name, path, case in entries(list_file):
        section = sections[file]
        why = is_wrong(root, section.rows, name, path, case)
        if why:
            section.wrong.append(f"names/effects.lst: {file} {name}: {why}")
            continue
        for row in section.rows:
            if row.name == name:
                row.effect = (path, case)
