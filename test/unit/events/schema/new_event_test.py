"""usage: new_event_test.py BUILD_DIRECTORY

Adds an event to each kind in a copy of the schema and compiles the sources that switch over this kind: each of them must fail and
name the new event, so that nobody can forget a meaning (docs/howto/add_an_event.md).
"""
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import unittest

SOURCES = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCES / "test/support"))
import compile_commands                                        # noqa: E402

KINDS = ("server", "queue", "host", "job", "scheduler", "run", "part", "hook", "log")
FOLDERS = ("events", "projections", "actors", "tools", "hooks-runtime")
BUILD = pathlib.Path(sys.argv.pop()).resolve()


def with_new_event(text):
    """The schema of a kind with one more member at the end of its union."""
    union = re.search(r"struct \w+Event \{\n  union \{\n(.*?)  \}\n", text, re.S)
    last = max(int(n) for n in re.findall(r"@(\d+)", union.group(1)))
    at = union.end(1)
    return text[:at] + f"    newEvent @{last + 1} :Void;\n" + text[at:]


def sources_that_switch(kind):
    """Every source that has a switch over the events of this kind."""
    alias = f"using which = schema::{kind.capitalize()}Event::Which;"
    return [path for folder in FOLDERS for path in sorted((SOURCES / folder).rglob("*.cpp"))
            if alias in (text := path.read_text()) and "case which::" in text]


def commands():
    """The compiler's command line of each source."""
    found = {}
    for entry in compile_commands.of_sources(BUILD):
        words = shlex.split(entry["command"])
        launcher = [i for i, word in enumerate(words) if pathlib.Path(word).name == "ccache"]
        found[pathlib.Path(entry["file"])] = words[launcher[0] + 1:] if launcher else words
    return found


class NewEvent(unittest.TestCase):
    def schema_with(self, kind):
        """Headers of a schema in which this kind has one more event."""
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        copy = pathlib.Path(directory.name)
        schema = copy / "events/schema"
        (schema / "event").mkdir(parents=True)
        files = [*(SOURCES / "events/schema").glob("*.capnp"), *(SOURCES / "events/schema/event").glob("*.capnp")]
        for file in files:
            text = file.read_text()
            new = with_new_event(text) if file.parent.name == "event" and file.stem == kind else text
            (copy / file.relative_to(SOURCES)).write_text(new)
        subprocess.run(["capnp", "compile", "-oc++", f"--src-prefix={copy}", *(copy / f.relative_to(SOURCES) for f in files)],
                       cwd=copy, check=True)
        return copy

    def compile(self, command, source, headers):
        words = [w for w in command if w != "-c"]
        if "-o" in words:
            del words[words.index("-o"):words.index("-o") + 2]
        words[1:1] = ["-fsyntax-only", "-isystem", str(headers)]
        return subprocess.run(words, cwd=BUILD, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"})

    def test_every_switch_misses_a_new_event(self):
        known = commands()
        for kind in KINDS:
            sources = sources_that_switch(kind)
            self.assertTrue(sources, f"no source switches over {kind} events")
            headers = self.schema_with(kind)
            for source in sources:
                with self.subTest(kind=kind, source=str(source.relative_to(SOURCES))):
                    if source not in known:
                        self.skipTest("is not built here")
                    result = self.compile(known[source], source, headers)
                    self.assertIn("'NEW_EVENT' not handled in switch", result.stderr.replace("‘", "'").replace("’", "'"))


if __name__ == "__main__":
    unittest.main()
