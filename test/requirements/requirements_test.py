#!/usr/bin/env python3
"""Whether docs/requirements.md says truly which test shows which requirement of the five design documents.

ids.txt has every requirement. A test that shows one names it in a comment (`// RS-14`); of what no test shows reasons.txt says why.

usage: requirements_test.py              compares
       requirements_test.py --write      makes docs/requirements.md
"""
import os
import sys
import unittest

from citations import BadRange, cited_in, places

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
PAGE = os.path.join(ROOT, "docs", "requirements.md")
TITLE_CHARS_MAX = 90
ENDINGS = (".cpp", ".hpp", ".c", ".py")
# Why no test shows a requirement; "in part" is said of one that a test does show.
KINDS = {"not built yet": "not built yet", "no test yet": "built, no test yet", "retired": "retired", "not testable": "not testable"}
IN_PART = "in part"


def text_of(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def entries(name):
    """(section, line) of a data file."""
    section = ""
    for line in text_of(os.path.join(HERE, name)).split("\n"):
        if line.startswith("["):
            section = line.strip("[]")
        elif line and not line.startswith("#"):
            yield section, line


class Requirements:
    def __init__(self):
        self.areas, self.titles, self.wrong = {}, {}, []      # area -> ids; id -> title
        for area, line in entries("ids.txt"):
            id, _, title = line.partition(" ")
            if id in self.titles or len(title) > TITLE_CHARS_MAX or not title:
                self.wrong.append(f"ids.txt: {id}: given twice, without a title, or with one of more than {TITLE_CHARS_MAX} characters")
            self.titles[id] = title
            self.areas.setdefault(area, []).append(id)
        self.reasons, self.parts = {}, {}                     # id -> (kind, text); id -> what is missing
        for section, line in entries("reasons.txt"):
            kind, _, text = section.partition(": ")
            if kind not in (*KINDS, IN_PART) or not text:
                self.wrong.append(f"reasons.txt: [{section}]: not one of {', '.join(KINDS)}, {IN_PART}, or without a text")
                continue
            for _, id in self.cited("reasons.txt", line):
                if id in self.reasons or id in self.parts:
                    self.wrong.append(f"reasons.txt: {id} has two reasons")
                if kind == IN_PART:
                    self.parts[id] = text
                else:
                    self.reasons[id] = (kind, text)
        self.shown = {}                                       # id -> [(path, case)]
        for path in tests():
            try:
                found = places(path, text_of(os.path.join(ROOT, path)))
            except BadRange as bad:
                self.wrong.append(f"{path}: {bad}: no range")
                continue
            for id, case in found:
                self.check(path, id)
                self.shown.setdefault(id, []).append((path, case))

    def cited(self, where, text):
        found = cited_in(text)
        for _, id in found:
            self.check(where, id)
        return found

    def check(self, where, id):
        if id not in self.titles:
            self.wrong.append(f"{where}: there is no {id}")


def tests():
    """Every source of a test, but for this one."""
    found = []
    for folder, folders, names in os.walk(os.path.join(ROOT, "test")):
        folders[:] = [f for f in folders if os.path.join(folder, f) != HERE]
        found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in names if name.endswith(ENDINGS)]
    return sorted(found)


def where_shown(requirements, id):
    by_file = {}
    for path, case in requirements.shown[id]:
        by_file.setdefault(path, []).append(case)
    texts = []
    for path, cases in by_file.items():
        name = path.removeprefix("test/").removeprefix("unit/")
        named = [c for c in cases if c]
        texts.append(f"[{name}](../{path})" + (": " + ", ".join(named) if named else ""))
    if id in requirements.parts:
        texts.append(f"*in part: {requirements.parts[id]}*")
    return "<br>".join(texts)


def page(requirements):
    r = requirements
    count = {kind: sum(1 for k, _ in r.reasons.values() if k == kind) for kind in KINDS}
    lines = [
        "# What each requirement became",
        "",
        "Annals follows five design documents: reliable job startup (RS, two of them), node ramp-down (RD), resources that hooks account for",
        "(RU), several schedulers and partitions (MS). Each of their requirements stands here with the tests that show it, or with the",
        "reason why none does.",
        "",
        "A test says what it shows in a comment at its case: `// RS-14`, or a list or range as in `RS-45 to RS-47, 51`. Of what no test shows,",
        "`test/requirements/reasons.txt` says why. `test/requirements/requirements_test.py --write` makes this page of both, and a test fails",
        "while the page is not up to date, while something has neither test nor reason, and while something that is now tested has a reason left.",
        "",
        "| | requirements |",
        "|---|---|",
        f"| in all | {len(r.titles)} |",
        f"| shown by a test | {len(r.shown)} |",
        f"| of these in part | {len(r.parts)} |",
        *(f"| {words} | {count[kind]} |" for kind, words in KINDS.items()),
    ]
    for area, ids in r.areas.items():
        lines += ["", f"## {area}", "", "| | what | shown by, or why not |", "|---|---|---|"]
        for id in ids:
            if id in r.shown:
                third = where_shown(r, id)
            else:
                kind, text = r.reasons.get(id, ("", ""))
                third = f"{KINDS.get(kind, '')}: {text}"
            lines.append(f"| {id} | {r.titles[id]} | {third} |")
    return "\n".join(lines) + "\n"


class EveryRequirement(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.all = Requirements()

    def none(self, wrong, what):
        self.assertFalse(wrong, "\n".join([what, *wrong]))

    def test_is_known_where_it_is_named(self):
        self.none(self.all.wrong, "what is named does not exist, or is not as it should be:")

    def test_has_a_test_or_a_reason(self):
        self.none([id for id in self.all.titles if id not in self.all.shown and id not in self.all.reasons],
                  "no test names them, and reasons.txt does not say why:")

    def test_has_no_reason_beside_its_test(self):
        self.none([f"{id}: {': '.join(self.all.reasons[id])}, yet {self.all.shown[id]}" for id in self.all.reasons if id in self.all.shown],
                  "a test shows what reasons.txt says is not shown:")

    def test_is_shown_if_it_is_shown_in_part(self):
        self.none([id for id in self.all.parts if id not in self.all.shown], "shown in part, but by no test:")

    def test_stands_on_the_page(self):
        self.assertTrue(os.path.exists(PAGE) and text_of(PAGE) == page(self.all),
                        "docs/requirements.md is not up to date (test/requirements/requirements_test.py --write makes it)")


class Citations(unittest.TestCase):
    def ids(self, text):
        return " ".join(id for _, id in cited_in(text))

    def test_lists_and_ranges_are_read(self):
        for text, ids in (("// RS-14", "RS-14"), ("RS-45 to RS-47", "RS-45 RS-46 RS-47"), ("RS-45 to 47", "RS-45 RS-46 RS-47"),
                          ("RS-45, 47", "RS-45 RS-47"), ("RS-45, 47 and MS-100; RU-04", "RS-45 RS-47 MS-100 RU-04"),
                          ("RS-45,\n// RS-47", "RS-45 RS-47"), ("RS-09 to\n# 11", "RS-09 RS-10 RS-11"), ("RS-117, 20.1", "RS-117"),
                          ("RS-12, 3 hosts", "RS-12"), ("RS-12, 30% of it", "RS-12"), ("GRS-12 RS-1 rs-14", "")):
            self.assertEqual(self.ids(text), ids, text)
        self.assertRaises(BadRange, cited_in, "RS-47 to RS-45")
        self.assertRaises(BadRange, cited_in, "RS-45 to MS-47")

    def test_they_belong_to_the_case_around_or_below(self):
        c = ("// RS-01\n#include <a>\nvoid f() {  // RS-02\n}\n\n// What it is.\n// RS-03\nBOOST_AUTO_TEST_CASE(a) {  // RS-04\n  x();  // RS-05\n}\n"
             "// RS-06\nint b;\nBOOST_FIXTURE_TEST_CASE(shows_rs_07, f) {\n}\n")
        self.assertEqual(sorted(places("a.cpp", c)), [("RS-01", ""), ("RS-02", ""), ("RS-03", "a"), ("RS-04", "a"), ("RS-05", "a"), ("RS-06", ""),
                                                      ("RS-07", "shows_rs_07")])
        python = ('"""RS-01"""\n# RS-02\nclass A:\n    b = 1    # RS-03\n\n    # RS-04\n    def test_a(self):      # RS-05\n        """RS-06"""\n'
                  "        x()  # RS-07\n\nc = 1   # RS-08\n")
        self.assertEqual(sorted(places("a.py", python)), [("RS-01", ""), ("RS-02", "A"), ("RS-03", "A"), ("RS-04", "test_a"), ("RS-05", "test_a"),
                                                          ("RS-06", "test_a"), ("RS-07", "test_a"), ("RS-08", "")])


def main():
    if "--write" not in sys.argv:
        return unittest.main()
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page(Requirements()))


if __name__ == "__main__":
    main()
