"""usage: new_event_test.py BUILD_DIRECTORY

Adds an event to each kind in a copy of the schema and compiles the sources that switch over a kind: each of them must be warned of, and
the warning, an error in the build, names the new event of this kind, so that nobody can forget a meaning (docs/howto/add_an_event.md).

Most of a source's time goes into its headers, so those that are compiled as one in the build are so here too; and ccache keeps what the
compiler said.
"""
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor

SOURCES = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCES / "test/support"))
import compile_commands                                        # noqa: E402

KINDS = ("server", "queue", "host", "job", "scheduler", "run", "part", "hook", "log")
FOLDERS = ("events", "projections", "actors", "tools", "hooks-runtime")
BUILD = pathlib.Path(sys.argv.pop()).resolve()
HERE = BUILD / "test/unit/events/schema/new_event"      # the copy of the schema, and what is compiled
COMPILER = pathlib.Path(__file__).with_name("switches_as_compiler.sh")
CACHE = [found] if (found := shutil.which("ccache")) else []
MISSED = re.compile(r"(?m)^(.+?):\d+:\d+: warning: enumeration value '(\w+)' not handled in switch")


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


def write(path, text):
    """What is there already stays as old as it is: ccache looks at that."""
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def of_ccache(compiler):
    """The environment of the compiler, and of ccache: what it is to know of a source beside what it reads itself."""
    version = subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, check=True).stdout
    known = hashlib.sha256(version + COMPILER.read_bytes()).hexdigest()
    return {**os.environ, "LC_ALL": "C", "PATH": "/usr/bin:/bin", "CXX": compiler, "CCACHE_COMPILERCHECK": "string:" + known, "CCACHE_COMPILERTYPE": "gcc",
            "CCACHE_BASEDIR": str(SOURCES), "CCACHE_NOHASHDIR": "1"}


class NewEvent(unittest.TestCase):
    def schema_with_new_events(self):
        """Compiles a schema in which each kind has one more event."""
        files = [file.relative_to(SOURCES) for file in (SOURCES / "events/schema").rglob("*.capnp")]
        for file in files:
            text = (SOURCES / file).read_text()
            write(HERE / file, with_new_event(file.stem, text) if file.parent.name == "event" and file.stem in KINDS else text)
        subprocess.run(["capnp", "compile", "-oc++", f"--src-prefix={HERE}", *(HERE / file for file in files)], cwd=HERE, check=True)

    def compile(self, number, entry, sources, environment):
        """These sources as one; what the compiler says."""
        together = HERE / f"group_{number}.cpp"
        write(together, "".join(f'#include "{source.relative_to(SOURCES)}"\n' for source in sources))
        words = compile_commands.words(compile_commands.for_file(entry, together))
        self.assertIn("-Werror=switch", words, "else nobody must read a warning")
        words[words.index("-o") + 1] = str(together.with_suffix(".o"))
        words = [*CACHE, str(COMPILER), "-isystem", str(HERE), *words[1:], "-Wno-error=switch"]
        return subprocess.run(words, cwd=BUILD, capture_output=True, text=True, env=environment).stderr

    def test_every_switch_misses_a_new_event(self):
        wanted = kinds_by_source()
        self.schema_with_new_events()
        for kind in KINDS:
            self.assertTrue(any(kind in kinds for kinds in wanted.values()), f"no source switches over {kind} events")
        groups, built = [], set()
        for entry, sources in compile_commands.of_groups(BUILD):
            here = [source for source in map(pathlib.Path, sources) if source in wanted and source not in built]
            built.update(here)
            groups += [(entry, here)] if here else []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            environment = of_ccache(compile_commands.words(groups[0][0])[0])
            said = list(pool.map(lambda group: self.compile(group[0], *group[1], environment), enumerate(groups)))
        missed = {((BUILD / source).resolve(), event) for text in said for source, event in MISSED.findall(text)}
        for source, kinds in wanted.items():
            for kind in kinds:
                with self.subTest(kind=kind, source=str(source.relative_to(SOURCES))):
                    if source not in built:
                        self.skipTest("is not built here")
                    text = next(text for text, (_, sources) in zip(said, groups) if source in sources)
                    self.assertIn((source, new_event_of(kind)), missed, text[:5000])


if __name__ == "__main__":
    unittest.main()
