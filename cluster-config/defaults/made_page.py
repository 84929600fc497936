"""Writes a page that is made from the sources, or with --check only says whether it would change."""
import os
import sys


def run(page, made, maker):
    """page: below the project; maker: how it is made again. The exit status."""
    path = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, page))
    was = None
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            was = f.read()
    if "--check" in sys.argv:
        if was != made:
            print(f"{page} is not up to date: run {maker}")
        return int(was != made)
    with open(path, "w", encoding="utf-8") as f:
        f.write(made)
    return 0
