#!/usr/bin/env python3
"""Makes the manual pages of docs/man that follow from tables: of attributes, resources, the environment, hooks, and pbs.conf.

    make_manual.py           says which of them are not what the tables make, exit status 1
    make_manual.py --write   writes them

What has a row or a line in the code and no words here, or words and no code, is an error.
"""
import os
import sys

sys.dont_write_bytecode = True

import attribute_pages  # noqa: E402
import conf_page  # noqa: E402
import environment_page  # noqa: E402
import mdoc  # noqa: E402
import module_page  # noqa: E402

MAKERS = [attribute_pages, environment_page, module_page, conf_page]


def all_pages():
    made = {}
    for maker in MAKERS:
        made.update(maker.pages())
    return made


def main(arguments):
    if arguments not in ([], ["--write"]):
        print("usage: make_manual.py [--write]", file=sys.stderr)
        return 2
    try:
        made = all_pages()
    except mdoc.Mismatch as mismatch:
        print(f"make_manual.py: {mismatch}", file=sys.stderr)
        return 1
    stale = 0
    for name, text in made.items():
        path = os.path.join(mdoc.ROOT, "docs", "man", name)
        if arguments:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        elif not os.path.exists(path) or mdoc.read(path) != text:
            print(f"docs/man/{name} is not up to date: run cluster-config/packaging/manual/make_manual.py --write")
            stale = 1
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
