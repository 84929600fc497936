#!/usr/bin/env python3
"""clang-tidy, with the few checks of .clang-tidy that find real faults, on the sources that changed last.

All sources take half an hour of a processor, nearly all of it to parse headers again and again; so the test looks at so many that changed
last, those that are not committed first. It is the same number on every machine: what passes here passes elsewhere. Needs a build:
generated headers, and BUILD/compile_commands.json.

usage: tidy_test.py BUILD                     as the test does
       tidy_test.py BUILD --all               every source
       tidy_test.py BUILD --since COMMIT      those that changed since then: what a series of commits should be asked
       tidy_test.py BUILD FILE.cpp ...        these
"""
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import compile_commands                                        # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = 20            # a source takes 3 to 20 s
COMMITS = 30
SKIPPED = 77


def git(*arguments):
    done = subprocess.run(["git", "-C", ROOT, *arguments], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.stdout.split("\n") if done.returncode == 0 else []


def changed(*commits):
    """Newest first; nothing outside a checkout of git."""
    listed = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    listed += git("log", *commits, "--name-only", "--pretty=format:")
    # In tests BOOST_REQUIRE(f(std::move(x))) looks like a loop that moves x again.
    return [os.path.join(ROOT, name) for name in dict.fromkeys(listed) if name.endswith(".cpp") and not name.startswith("test/")]


def tidied(commands, path):
    done = subprocess.run(["clang-tidy", "-p", commands, "--quiet", "--extra-arg=-Wno-unknown-warning-option",
                           "--extra-arg=-Wno-unused-command-line-argument", path],
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.returncode, done.stdout


def main():
    build, *named = sys.argv[1:]
    try:
        subprocess.run(["clang-tidy", "--version"], stdout=subprocess.DEVNULL, check=True)
        commands = compile_commands.of_sources(build)
    except FileNotFoundError as missing:
        print(f"there is no {missing.filename}")
        return SKIPPED
    known = {os.path.normpath(os.path.join(c["directory"], c["file"])) for c in commands}
    if named == ["--all"]:
        wanted = sorted(known)
    elif named[:1] == ["--since"]:
        wanted = changed(named[1] + "..HEAD")
    else:
        wanted = [os.path.abspath(name) for name in named] or changed(f"-{COMMITS}")
    wanted = [path for path in wanted if path in known and os.path.exists(path)]
    looked_at = wanted if named else wanted[:SOURCES]
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(os.cpu_count()) as pool:
        with open(os.path.join(directory, "compile_commands.json"), "w") as f:
            json.dump(commands, f)
        results = list(pool.map(lambda path: tidied(directory, path), looked_at))
    for status, text in results:
        if status:
            print(text)
    print(f"{len(looked_at)} of {len(wanted)} sources were looked at")
    return 1 if any(status for status, _ in results) else 0 if looked_at else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
