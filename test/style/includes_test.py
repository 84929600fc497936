#!/usr/bin/env python3
"""What the compiler reads of a source that includes one of the popular or expensive headers stays below a bound: a header that includes too
much costs each of its hundreds of users. The sizes are those of g++ 12, whose own headers are a third of them: other compilers skip.
Needs a build: generated headers, and BUILD/compile_commands.json.

usage: includes_test.py BUILD
"""
import collections
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "test/support"))
import compile_commands                                        # noqa: E402

SKIPPED = 77
COMPILER = "12"
# Header -> thousands of bytes. 8 % above what it was when the bound was set.
BOUNDS = {
    "actors/gateway/actor_registry.hpp": 7120,
    "actors/gateway/gateway.hpp": 6930,
    "actors/link/wire/wire.hpp": 2330,
    "actors/mom/mom_messages.hpp": 6580,
    "actors/mom/runs/run_actor.hpp": 6610,
    "actors/runtime/event_sourced_actor.hpp": 5670,
    "actors/server/job_actor.hpp": 6590,
    "actors/server/messages.hpp": 5770,
    "events/attributes/attribute_set.hpp": 1340,
    "events/model/host/host.hpp": 3930,
    "events/model/job/job.hpp": 4020,
    "events/model/outcome.hpp": 3360,
    "events/model/part/part.hpp": 4420,
    "events/model/reservation/reservation.hpp": 4200,
    "events/model/run/run.hpp": 4230,
    "events/model/scheduler/scheduler.hpp": 4160,
    "events/model/settings.hpp": 1920,
    "events/schema/event.hpp": 3350,
    "events/schema/message.hpp": 1830,
    "projections/status/status.hpp": 4960,
    "tools/client/session.hpp": 3480,
}
MARKER = re.compile(r'# \d+ "(.*)"((?: \d)*)$')


def preprocessed(entry, header):
    """What the compiler reads of a source that has nothing but this header, with marks of where each file begins and ends."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as source:
        source.write(f'#include "{header}"\n')
        source.flush()
        words = compile_commands.words(compile_commands.for_file(entry, source.name))
        words[words.index("-c")] = "-E"
        del words[words.index("-o"):words.index("-o") + 2]
        done = subprocess.run(words, cwd=entry["directory"], capture_output=True, text=True, env={**os.environ, "LC_ALL": "C"})
    if done.returncode != 0:
        raise SystemExit(f"{header}: the compiler says\n{done.stderr}")
    return done.stdout


def measured(text, header):
    """(bytes without empty lines, those of each file that the header includes itself, with all that this brings)."""
    stack, total, brought = [], 0, collections.Counter()
    for line in text.splitlines():
        if marker := MARKER.match(line):
            file, flags = marker[1], marker[2].split()
            if "1" in flags:
                stack.append(file)
            elif "2" in flags:
                stack.pop()
        elif line.strip():
            total += len(line) + 1
            at = next((i for i, file in enumerate(stack) if file.endswith("/" + header)), None)
            if at is not None and at + 1 < len(stack):
                brought[stack[at + 1]] += len(line) + 1
    return total, brought


def complaint(header, bound, text):
    """Why the header is too large; empty: it is not."""
    total, brought = measured(text, header)
    if total <= bound * 1000:
        return ""
    file, most = brought.most_common(1)[0]
    return (f"{header}: {total // 1000} thousand bytes for the compiler, bound {bound}. Most of them come by #include of "
            f"{os.path.relpath(file, ROOT) if file.startswith(str(ROOT)) else file}: {most // 1000}, without those that were there before it.")


def entries(build):
    """Folder -> an entry of a source in it."""
    return {os.path.relpath(os.path.dirname(source), ROOT): entry
            for entry, sources in compile_commands.of_groups(build) for source in sources if source.endswith(".cpp")}


def main():
    try:
        of_folder = entries(sys.argv[1])
        entry = next(iter(of_folder.values()))
        version = subprocess.run([compile_commands.words(entry)[0], "-dumpversion"], capture_output=True, text=True, check=True).stdout
    except FileNotFoundError as missing:
        print(f"there is no {missing.filename}")
        return SKIPPED
    if version.strip().split(".")[0] != COMPILER:
        print(f"the bounds are those of g++ {COMPILER}, this is {version}")
        return SKIPPED
    with ThreadPoolExecutor(2) as both:
        texts = both.map(lambda header: preprocessed(of_folder[os.path.dirname(header)], header), BOUNDS)
        wrong = [why for (header, bound), text in zip(BOUNDS.items(), texts) if (why := complaint(header, bound, text))]
    print("\n".join(wrong))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
