#!/usr/bin/env python3
"""clang-tidy, with the few checks of .clang-tidy that find real faults, on the sources that changed last.

All sources take half an hour of a processor, nearly all of it to parse headers again and again; so the test looks at those that are not
committed and at those of the last commits, newest first, until its time is used up. Needs a build: generated headers, and
BUILD/compile_commands.json.

usage: tidy_test.py BUILD                     as the test does
       tidy_test.py BUILD --all               every source
       tidy_test.py BUILD FILE.cpp ...        these
"""
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUDGET_S = 60           # then no further source is begun; a source takes 3 to 20 s
COMMITS = 30
SKIPPED = 77


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed_last():
    """Newest first; nothing outside a checkout of git."""
    listed = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    listed += git("log", f"-{COMMITS}", "--name-only", "--pretty=format:")
    # In tests BOOST_REQUIRE(f(std::move(x))) looks like a loop that moves x again.
    return [os.path.join(ROOT, name) for name in dict.fromkeys(listed) if name.endswith(".cpp") and not name.startswith("test/")]


def tidied(build, path):
    done = subprocess.run(["clang-tidy", "-p", build, "--quiet", "--extra-arg=-Wno-unknown-warning-option", path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.returncode, done.stdout


def main():
    build, *named = sys.argv[1:]
    try:
        subprocess.run(["clang-tidy", "--version"], stdout=subprocess.DEVNULL, check=True)
        with open(os.path.join(build, "compile_commands.json")) as f:
            known = {os.path.normpath(os.path.join(c["directory"], c["file"])) for c in json.load(f)}
    except FileNotFoundError as missing:
        print(f"there is no {missing.filename}")
        return SKIPPED
    wanted = sorted(known) if named == ["--all"] else [os.path.abspath(name) for name in named] or changed_last()
    wanted = [path for path in wanted if path in known and os.path.exists(path)]
    end = time.monotonic() + (BUDGET_S if not named else float("inf"))
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        results = list(pool.map(lambda path: tidied(build, path) if time.monotonic() < end else None, wanted))
    looked_at = [r for r in results if r]
    for status, text in looked_at:
        if status:
            print(text)
    print(f"{len(looked_at)} of {len(wanted)} sources were looked at")
    return 1 if any(status for status, _ in looked_at) else 0 if looked_at else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
