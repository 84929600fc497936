#!/usr/bin/env python3
"""Whether every C and C++ source is laid out as .clang-format says, in lines of at most 140 columns.

usage: format_test.py              names the files that differ
       format_test.py --write      lays them out
"""
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
COLUMNS_MAX = 140
SKIPPED = 77
ENDINGS = (".cpp", ".hpp", ".c", ".h")


def sources():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [f for f in folders if not f.startswith(("build", "."))]
        yield from (os.path.join(folder, name) for name in names if name.endswith(ENDINGS))


def style(**otherwise):
    """.clang-format as an argument, with some options otherwise."""
    with open(os.path.join(ROOT, ".clang-format"), encoding="utf-8") as f:
        options = dict(line.rstrip("\n").split(": ", 1) for line in f if not line.startswith("#"))
    return "--style={" + ", ".join(f"{name}: {value}" for name, value in {**options, **otherwise}.items()) + "}"


def formatted(text, *arguments):
    return subprocess.run(["clang-format", *arguments, "--assume-filename=a.cpp"], input=text, stdout=subprocess.PIPE, text=True, check=True).stdout


def all_formatted(texts):
    """As formatted(text, style()) of each, by one process for each processor: to start one takes longer than to format a source."""
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(os.cpu_count()) as pool:
        paths = [os.path.join(directory, str(number), "a.cpp") for number in range(len(texts))]
        for path, text in zip(paths, texts):
            os.mkdir(os.path.dirname(path))
            write(path, text)
        parts = [paths[first::os.cpu_count()] for first in range(min(os.cpu_count(), len(paths)))]
        list(pool.map(lambda part: subprocess.run(["clang-format", "-i", style(), *part], check=True), parts))
        return [read(path) for path in paths]


def too_long(text):
    return [number for number, line in enumerate(text.split("\n"), 1) if len(line) > COLUMNS_MAX]


def laid_out(text):
    """As .clang-format says already; lines that are too long are broken, as far as they can be."""
    if lines := too_long(text):
        text = formatted(text, style(ColumnLimit=COLUMNS_MAX), *(f"--lines={n}:{n}" for n in lines))
        text = formatted(text, style())
    return text


def read(path):
    with open(path, encoding="utf-8", newline="") as f:
        return f.read()


def write(path, text):
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)


def main():
    try:
        subprocess.run(["clang-format", "--version"], stdout=subprocess.DEVNULL, check=True)
    except FileNotFoundError:
        print("there is no clang-format")
        return SKIPPED
    paths, wrong = sorted(sources()), []
    texts = [read(path) for path in paths]
    for path, text, wanted in zip(paths, texts, map(laid_out, all_formatted(texts))):
        if text != wanted and "--write" in sys.argv:
            write(path, wanted)
            text = wanted
        if text != wanted:
            wrong.append(f"{os.path.relpath(path, ROOT)}: not as .clang-format says (test/style/format_test.py --write mends it)")
        wrong += [f"{os.path.relpath(path, ROOT)}:{number}: more than {COLUMNS_MAX} columns" for number in too_long(text)]
    print("\n".join(wrong) or f"{len(paths)} files are laid out as .clang-format says")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
