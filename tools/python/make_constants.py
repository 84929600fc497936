#!/usr/bin/env python3
"""Makes the constants of the Python module pbs_ifl from the C headers: make_constants.py INTO HEADER..."""
import re
import sys

DEFINE = re.compile(r'(?m)^#define (\w+) ("[^"]*"|[^/\n]+)')
ENUM = re.compile(r"enum \w+ \{([^}]*)\}")
CAST = re.compile(r"\(\w+_t\)")


def constants(text):
    """(name, expression) of each constant, in order; macros that are calls are none."""
    for names in ENUM.findall(text):
        for number, name in enumerate(re.findall(r"\w+", names)):
            yield name, str(number)
    for name, value in DEFINE.findall(text):
        if "*" not in value:
            yield name, CAST.sub("", value).strip()


def main(into, *headers):
    lines = ['"""The constants of pbs_ifl.h and pbs_error.h; made from them."""']
    for header in headers:
        with open(header, encoding="utf-8") as f:
            lines += [f"{name} = {value}" for name, value in constants(f.read())]
    with open(into, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
