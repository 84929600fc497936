"""Where a test names requirements: "RS-45", "RS-45 to RS-47", "RS-45, 47 and RS-49", in its comments and in the names of its cases."""
import re

PREFIXES = "RS|RD|RU|MS"
GAP = r"[ \t]*(?:\n[ \t]*(?://+|#+|\*)?[ \t]*)?"                 # a list may go on in the next line of a comment
NUMBER = r"\d{2,3}(?!\w|%|:\d|\.\d)"
CITED = re.compile(rf"(?<![\w-])({PREFIXES})-({NUMBER})"
                   rf"((?:(?:,{GAP}(?:and )?|{GAP}\band\b{GAP}|{GAP}\bto\b{GAP}|\.\.|/)(?:(?:{PREFIXES})-)?{NUMBER})*)")
FURTHER = re.compile(rf"(,|and|to|\.\.|/)\W*(?:({PREFIXES})-)?(\d+)")
IN_NAME = re.compile(r"(?:^|_)(rs|rd|ru|ms)_(\d{2,3})(?=_|$)", re.I)
C_CASE = re.compile(r"^BOOST_(?:AUTO|FIXTURE|DATA)_TEST_CASE\w*\((\w+)")
PYTHON_CASE = re.compile(r"^( *)(def|class) (\w+)")


class BadRange(Exception):
    pass


def id_of(prefix, number):
    return f"{prefix}-{int(number):02}"


def cited_in(text):
    """[(offset, id)] of all that a text names, in its order."""
    found = []
    for match in CITED.finditer(text):
        prefix, last = match.group(1), int(match.group(2))
        found.append((match.start(), id_of(prefix, last)))
        for link, other, number in FURTHER.findall(match.group(3)):
            number = int(number)
            first = last + 1 if link in ("to", "..") else number
            if first > number or (first != number and other and other != prefix):
                raise BadRange(match.group())
            prefix, last = other or prefix, number
            found += [(match.start(), id_of(prefix, n)) for n in range(first, number + 1)]
    return found


def cases_of(path, lines):
    """For each line the case that it belongs to, "" for what stands outside of all."""
    return cases_of_python(lines) if path.endswith(".py") else cases_of_c(lines)


def cases_of_c(lines):
    cases, inside = [""] * len(lines), ""
    for at, line in enumerate(lines):
        if match := C_CASE.match(line):
            inside = match.group(1)
            claim_comment(cases, lines, at, inside, "//")
        cases[at] = inside
        if line.startswith("}"):
            inside = ""
    return cases


def cases_of_python(lines):
    cases, stack = [""] * len(lines), []           # (indent, name) of what is open
    for at, line in enumerate(lines):
        indent = len(line) - len(line.lstrip(" "))
        if line.strip():
            stack = [(i, n) for i, n in stack if i < indent]
        if match := PYTHON_CASE.match(line):
            stack.append((indent, match.group(3)))
            claim_comment(cases, lines, at, stack[-1][1], "#")
        cases[at] = stack[-1][1] if stack else ""
    return cases


def claim_comment(cases, lines, at, name, mark):
    """The comment right above a case is the case's."""
    above = at - 1
    while above >= 0 and lines[above].lstrip().startswith(mark):
        cases[above] = name
        above -= 1


def places(path, text):
    """[(id, case)] of one file, each once, in the order of the file."""
    lines = text.split("\n")
    cases = cases_of(path, lines)
    found = [(id, cases[text.count("\n", 0, offset)]) for offset, id in cited_in(text)]
    found += [(id_of(p.upper(), n), case) for case in cases for p, n in IN_NAME.findall(case)]
    return list(dict.fromkeys(found))
