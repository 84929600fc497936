"""What the makers of manual pages share: files of the checkout, tables of Markdown, and text as mdoc(7) wants it."""
import glob
import os
import re

ROOT = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 3))


class Mismatch(Exception):
    """The code has what this folder has no words for, or the other way round."""


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as f:
        return f.read()


def sources(*patterns):
    """The texts of the files of the checkout that a pattern fits; ** is any folder."""
    for pattern in patterns:
        for path in sorted(glob.glob(pattern, root_dir=ROOT, recursive=True)):
            yield path, read(path)


def same(what, code, texts):
    """The names that the code has are those that have a text here."""
    if set(code) != set(texts):
        raise Mismatch(f"{what}: without a text, or without code: {', '.join(sorted(set(code) ^ set(texts)))}")


def cut(text, pattern, what):
    """The part of a source that the pattern's group finds."""
    found = re.search(pattern, text, re.S)
    if not found:
        raise Mismatch(f"{what} is not where it was: look for it again")
    return found.group(1)


def tables(page):
    """Title -> rows of the table below it, each a list of cells."""
    found = {}
    for part in re.split(r"(?m)^## ", read(page))[1:]:
        title, body = part.split("\n", 1)
        rows = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
                for line in body.split("\n") if line.startswith("| ")]
        found[title] = rows
    return found


def plain(cell):
    """A cell without the marks of Markdown."""
    return re.sub(r"\*(\w+)\*", r"\1", re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", cell)).replace("`", "")


def text(words):
    """Lines of a page: each sentence begins one, and nothing in them is a request."""
    lines = re.sub(r"(?<=[.]) (?=[A-Z])", "\n", words.replace("\\", "\\e")).split("\n")
    return "".join(("\\&" if line[:1] in ("'", ".") else "") + line + "\n" for line in lines if line)


def word(value):
    """One argument of a macro, whatever it is."""
    return '"\\&' + value.replace("\\", "\\e").replace('"', "\\(dq") + '"'


def sentence(words):
    return words if words.endswith(".") else words + "."


def tagged(items):
    """A list of (macro and its arguments, lines below it)."""
    return ".Bl -tag -width Ds\n" + "".join(f".It {tag}\n{body}" for tag, body in items) + ".El\n"


def head(name, section, what):
    return (".\\\" Made by cluster-config/packaging/manual/make_manual.py; do not edit.\n.Dd November 27, 2026\n"
            f".Dt {name.upper()} {section}\n.Os Annals\n.Sh NAME\n.Nm {name}\n.Nd {what}\n")


def see_also(*pages):
    ordered = sorted(pages, key=lambda page: (page[1], page[0]))
    return ".Sh SEE ALSO\n" + " ,\n".join(f".Xr {name} {section}" for name, section in ordered) + "\n"
