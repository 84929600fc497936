"""usage: new_event_test.py BUILD_DIRECTORY

Adds an event to each kind in a copy of the schema and compiles the sources that switch over a kind: each of them must fail and
name the new event of this kind, so that nobody can forget a meaning (docs/howto/add_an_event.md).

Most of a source's time goes into its headers, so those that are compiled as one in the build are so here too.
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

SOURCES = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCES / "test/support"))
import compile_commands                                        # noqa: E402

KINDS = ("server", "queue", "host", "job", "scheduler", "run", "part", "hook", "log")
FOLDERS = ("events", "projections", "actors", "tools", "hooks-runtime")
BUILD = pathlib.Path(sys.argv.pop()).resolve()
MISSED = re.compile(r"(?m)^(.+?):\d+:\d+: error: enumeration value '(\w+)' not handled in switch")


def new_event_of(kind):
    return f"NEW_{kind.upper()}_EVENT"


def with_new_event(kind, text):
    """The schema of a kind with one more member at the end of its union."""
    union = re.search(r"struct \w+Event \{\n  union \{\n(.*?)  \}\n", text, re.S)
    last = max(int(n) for n in re.findall(r"@(\d+)", union.group(1)))
    at = union.end(1)
    return text[:at] + f"    new{kind.capitalize()}Event @{last + 1} :Void;\n" + text[at:]


def kinds_by_source():
    """The kinds over whose events each source has a switch."""
    found = {}
    for path in (path for folder in FOLDERS for path in sorted((SOURCES / folder).rglob("*.cpp"))):
        text = path.read_text()
        if "case which::" in text:
            kinds = [kind for kind in KINDS if f"using which = schema::{kind.capitalize()}Event::Which;" in text]
            found.update({path: kinds} if kinds else {})
    return found


class NewEvent(unittest.TestCase):
    def schema_with_new_events(self):
        """Headers of a schema in which each kind has one more event."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        copy = pathlib.Path(directory.name)
        schema = copy / "events/schema"
        files = [*(SOURCES / "events/schema").rglob("*.capnp")]
        for file in files:
            (copy / file.relative_to(SOURCES)).parent.mkdir(parents=True, exist_ok=True)
            text = file.read_text()
            new = with_new_event(file.stem, text) if file.parent.name == "event" and file.stem in KINDS else text
            (copy / file.relative_to(SOURCES)).write_text(new)
        subprocess.run(["capnp", "compile", "-oc++", f"--src-prefix={copy}", *(copy / f.relative_to(SOURCES) for f in files)],
                       cwd=copy, check=True)
        return copy

    def compile(self, entry, sources, headers):
        """These sources as one; what the compiler says."""
        with tempfile.NamedTemporaryFile("w", suffix=".cpp") as together:
            together.write("".join(f'#include "{source}"\n' for source in sources))
            together.flush()
            words = compile_commands.words(compile_commands.for_file(entry, together.name))
            words.remove("-c")
            del words[words.index("-o"):words.index("-o") + 2]
            words[1:1] = ["-fsyntax-only", "-isystem", str(headers)]
            return subprocess.run(words, cwd=BUILD, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stderr

    def test_every_switch_misses_a_new_event(self):
        wanted, headers = kinds_by_source(), self.schema_with_new_events()
        for kind in KINDS:
            self.assertTrue(any(kind in kinds for kinds in wanted.values()), f"no source switches over {kind} events")
        groups, built = [], set()
        for entry, sources in compile_commands.of_groups(BUILD):
            here = [source for source in map(pathlib.Path, sources) if source in wanted and source not in built]
            built.update(here)
            groups += [(entry, here)] if here else []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            said = list(pool.map(lambda group: self.compile(*group, headers), groups))
        missed = {(source, event) for text in said for source, event in MISSED.findall(text.replace("‘", "'").replace("’", "'"))}
        for source, kinds in wanted.items():
            for kind in kinds:
                with self.subTest(kind=kind, source=str(source.relative_to(SOURCES))):
                    if source not in built:
                        self.skipTest("is not built here")
                    text = next(text for text, (_, sources) in zip(said, groups) if source in sources)
                    self.assertIn((str(source), new_event_of(kind)), missed, text[:5000])


if __name__ == "__main__":
    unittest.main()
