#!/usr/bin/env python3
"""clang-tidy, with the few checks of .clang-tidy that find real faults, on the sources that changed last.

All sources take half an hour of a processor, nearly all of it to parse headers again and again; so the test looks at so many that changed
last, those that are not committed first. It is the same number on every machine: what passes here passes elsewhere. ccache keeps which
sources passed, as it keeps what was compiled, so that each is looked at again only when it, a header or a check has changed. Needs a
build: generated headers, and BUILD/compile_commands.json.

usage: tidy_test.py BUILD                     as the test does
       tidy_test.py BUILD --all               every source
       tidy_test.py BUILD --since COMMIT      those that changed since then: what a series of commits should be asked
       tidy_test.py BUILD FILE.cpp ...        these
"""
import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "test", "support"))
import compile_commands                                        # noqa: E402

LOOKS = "tidy_as_compiler.sh"
CACHE = ["ccache"] if shutil.which("ccache") and shutil.which("clang++") else []      # which needs the one, and it the other to read headers
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


def file_bytes(*path):
    with open(os.path.join(ROOT, *path), "rb") as f:
        return f.read()


def of_ccache():
    """The environment of ccache: what it is to know of a source beside what it reads itself. A comment may be one for clang-tidy."""
    version = subprocess.run(["clang-tidy", "--version"], stdout=subprocess.PIPE, check=True).stdout
    known = hashlib.sha256(version + file_bytes(".clang-tidy") + file_bytes(HERE, LOOKS)).hexdigest()
    return {**os.environ, "CCACHE_COMPILERCHECK": "string:" + known, "CCACHE_COMPILERTYPE": "clang", "CCACHE_COMMENTS": "1",
            "CCACHE_BASEDIR": ROOT, "CCACHE_NOHASHDIR": "1"}


def tidied(entry, directory, known):
    """(0 if nothing was found, what was)."""
    _, *words = compile_commands.words(entry)
    words[words.index("-o") + 1] = os.path.join(directory, hashlib.sha256(entry["command"].encode()).hexdigest() + ".o")
    done = subprocess.run([*CACHE, os.path.join(HERE, LOOKS), *words], cwd=entry["directory"], env=known,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return done.returncode, done.stdout


def main():
    build, *named = sys.argv[1:]
    try:
        known = of_ccache()
        commands = {}
        for entry in compile_commands.of_sources(build):
            commands.setdefault(os.path.normpath(os.path.join(entry["directory"], entry["file"])), []).append(entry)
    except FileNotFoundError as missing:
        print(f"there is no {missing.filename}")
        return SKIPPED
    if named == ["--all"]:
        wanted = sorted(commands)
    elif named[:1] == ["--since"]:
        wanted = changed(named[1] + "..HEAD")
    else:
        wanted = [os.path.abspath(name) for name in named] or changed(f"-{COMMITS}")
    wanted = [path for path in wanted if path in commands and os.path.exists(path)]
    looked_at = wanted if named else wanted[:SOURCES]
    with tempfile.TemporaryDirectory() as directory, ThreadPoolExecutor(os.cpu_count()) as pool:
        entries = [entry for path in looked_at for entry in commands[path]]
        results = list(pool.map(lambda entry: tidied(entry, directory, known), entries))
    for status, text in results:
        if status:
            print(text)
    print(f"{len(looked_at)} of {len(wanted)} sources were looked at")
    return 1 if any(status for status, _ in results) else 0 if looked_at else SKIPPED


if __name__ == "__main__":
    sys.exit(main())
