"""usage: new_event_test.py BUILD_DIRECTORY

Nobody can forget a place that has to know a new event (docs/howto/add_an_event.md). Adds an event to each kind in a copy of the schema and compiles
the sources that switch over a kind, so that the compiler names, for each switch, the events that it has no case for:

- a switch without a default, which does not compile until it knows the new event;
- a fold, whose switch names the events that it looks at and has a default for the others. interests.txt has a row for each event of a kind, which
  says of each fold whether it looks at the event. A table of rules over a kind, as that of the accounting records, is a fold too.

Most of a source's time goes into its headers, so those that are compiled as one in the build are so here too; and ccache keeps what the
compiler said.
"""
import difflib
import hashlib
import os
import pathlib
import re
import shutil
import string
import subprocess
import sys
import unittest
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

SOURCES = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(SOURCES / "test/support"))
import compile_commands                                        # noqa: E402

FOLDERS = ("events", "projections", "actors", "tools", "hooks-runtime")
BUILD = pathlib.Path(sys.argv.pop()).resolve()
HERE = BUILD / "test/unit/events/schema/new_event"      # the copy of the schema, and what is compiled
INTERESTS = pathlib.Path(__file__).with_name("interests.txt")
COMPILER = pathlib.Path(__file__).with_name("switches_as_compiler.sh")
CACHE = [found] if (found := shutil.which("ccache")) else []
# The function that the compiler is at, or an event without a case; -Wswitch-enum is its word for a switch that has a default.
SAID = re.compile(r"(?m)^[^\n]+?: In [^\n']*function '(?P<function>[^\n]+)':$"
                  r"|^(?P<source>[^\n]+?):(?P<line>\d+):\d+: warning: enumeration value '(?P<event>\w+)' not handled in switch "
                  r"\[-Wswitch(?P<has_default>-enum)?\]$")
ALIAS = re.compile(r"using (\w+) = schema::(\w+)Event::Which;|case (schema::(\w+)Event)::")
RULES = re.compile(r"(?ms)^constexpr \w*rule (\w+)\[\] = \{\n(.*?)^\};")


def kinds():
    """The unions of events, in the order of Event."""
    text = (SOURCES / "events/schema/event.capnp").read_text()
    return re.findall(r"(?m)^    (\w+) +@\d+ :\w+\.\w+Event;", text[text.index("struct Event {"):])


def union_in(text):
    """Where the members of a kind's union stand in its schema, and what they are called in C++."""
    union = re.search(r"struct \w+Event \{\n  union \{\n(.*?)  \}\n", text, re.S)
    names = re.findall(r"(?m)^    (\w+) +@\d+ ", union.group(1))
    return union, [re.sub("([A-Z])", r"_\1", name).upper() for name in names]


def events_of(kind):
    return union_in((SOURCES / f"events/schema/event/{kind}.capnp").read_text())[1]


def new_event_of(kind):
    return f"NEW_{kind.upper()}_EVENT"


def with_new_event(kind, text):
    """The schema of a kind with one more member at the end of its union."""
    union, _ = union_in(text)
    last = max(int(n) for n in re.findall(r"@(\d+)", union.group(1)))
    at = union.end(1)
    return text[:at] + f"    new{kind.capitalize()}Event @{last + 1} :Void;\n" + text[at:]


def sources():
    """(path, text, what kinds are called in it) of each source that asks for events of a kind by name."""
    for path in (path for folder in FOLDERS for path in sorted((SOURCES / folder).rglob("*.cpp"))):
        text = path.read_text()
        if aliases := {(alias or full, (kind or its_kind).lower()) for alias, kind, full, its_kind in ALIAS.findall(text)}:
            yield path, text, sorted(aliases)


def kinds_by_source():
    """The kinds over whose events each source has a switch."""
    found = {path: {kind for alias, kind in aliases if f"case {alias}::" in text} for path, text, aliases in sources()}
    return {path: kinds for path, kinds in found.items() if kinds}


@dataclass
class Switch:
    """A switch over the events of a kind; or a table of rules over them."""
    source: pathlib.Path
    name: str           # of its function, or of the table
    has_default: bool
    kind: str = ""
    unnamed: set = field(default_factory=set)

    def fold(self):
        """Its name in interests.txt."""
        return f"{self.source.name} {self.name}"


def name_of(function):
    """From the compiler's signature, without the namespaces annals::*."""
    names = re.search(r"([\w:{}~]+)\(", function).group(1).split("::")
    return "::".join(name for name in names[2:] if name != "{anonymous}")


def switches_in(said):
    """The switches over events that the compiler speaks of: every one of them misses the new event of its kind."""
    found, function = {}, ""
    for word in SAID.finditer(said):
        if word["function"]:
            function = word["function"]
            continue
        source = (BUILD / word["source"]).resolve()
        switch = found.setdefault((source, word["line"]), Switch(source, name_of(function), bool(word["has_default"])))
        switch.unnamed.add(word["event"])
    for switch in found.values():
        switch.kind = next((kind for kind in kinds() if new_event_of(kind) in switch.unnamed), "")
    return [switch for switch in found.values() if switch.kind]


def rules():
    """The tables of rules, each as a switch that names the events of its rows."""
    for path, text, aliases in sources():
        for name, rows in RULES.findall(text):
            for alias, kind in aliases:
                if named := set(re.findall(rf"(?m)^ +\{{{alias}::(\w+), ", rows)):
                    yield Switch(path, name, True, kind, set(events_of(kind)) - named)


def interests(kind, folds):
    """The section of interests.txt about a kind."""
    folds = sorted(folds, key=Switch.fold)
    letters = string.ascii_letters[:len(folds)]
    lines = [kind, *(f"  {letter}  {fold.fold()}" for letter, fold in zip(letters, folds)), "", f"  {'':20} {' '.join(letters)}"]
    lines += [f"  {event:20} " + " ".join("-" if event in fold.unnamed else "x" for fold in folds) for event in events_of(kind)]
    return lines


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


def make_schema():
    """Compiles a schema in which each kind has one more event."""
    files = [file.relative_to(SOURCES) for file in (SOURCES / "events/schema").rglob("*.capnp")]
    for file in files:
        text = (SOURCES / file).read_text()
        write(HERE / file, with_new_event(file.stem, text) if file.parent.name == "event" and file.stem in kinds() else text)
    subprocess.run(["capnp", "compile", "-oc++", f"--src-prefix={HERE}", *(HERE / file for file in files)], cwd=HERE, check=True)


def compiled(number, entry, together, environment):
    """These sources as one; what the compiler says."""
    group = HERE / f"group_{number}.cpp"
    write(group, "".join(f'#include "{source.relative_to(SOURCES)}"\n' for source in together))
    words = compile_commands.words(compile_commands.for_file(entry, group))
    if "-Werror=switch" not in words:
        raise AssertionError("else nobody must read a warning: " + " ".join(words))
    words[words.index("-o") + 1] = str(group.with_suffix(".o"))
    words = [*CACHE, str(COMPILER), "-isystem", str(HERE), *words[1:], "-Wswitch-enum", "-Wno-error=switch", "-Wno-error=switch-enum"]
    return subprocess.run(words, cwd=BUILD, capture_output=True, text=True, env=environment).stderr


class NewEvent(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.wanted = kinds_by_source()
        cls.said = {}                              # by source
        make_schema()
        groups = []
        for entry, together in compile_commands.of_groups(BUILD):
            here = [source for source in map(pathlib.Path, together) if source in cls.wanted and source not in cls.said]
            cls.said.update(dict.fromkeys(here, ""))
            groups += [(entry, here)] if here else []
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            environment = of_ccache(compile_commands.words(groups[0][0])[0])
            said = list(pool.map(lambda group: compiled(group[0], *group[1], environment), enumerate(groups)))
        for text, (_, here) in zip(said, groups):
            cls.said.update(dict.fromkeys(here, text))
        cls.switches = [switch for text in said for switch in switches_in(text)]

    def test_every_switch_misses_a_new_event(self):
        for kind in kinds():
            self.assertTrue(any(kind in of_source for of_source in self.wanted.values()), f"no source switches over {kind} events")
        missed = {(switch.source, switch.kind) for switch in self.switches}
        for source, of_source in self.wanted.items():
            for kind in of_source:
                with self.subTest(kind=kind, source=str(source.relative_to(SOURCES))):
                    if source not in self.said:
                        self.skipTest("is not built here")
                    self.assertIn((source, kind), missed, self.said[source][:5000])

    def test_every_event_has_its_row_of_interests(self):
        if not_built := self.wanted.keys() - self.said.keys():
            self.skipTest(f"not all folds are built here: {sorted(map(str, not_built))}")
        folds = [*(switch for switch in self.switches if switch.has_default), *rules()]
        file = [line for line in INTERESTS.read_text().splitlines() if not line.startswith("#")]
        code, undecided = [""], []
        for kind in kinds():
            if of_kind := [fold for fold in folds if fold.kind == kind]:
                lines = interests(kind, of_kind)
                code += [*lines, ""]
                for event, row in zip(reversed(events_of(kind)), reversed(lines)):
                    if row not in file:
                        undecided.append(f"{kind} {event} is named by none of: " + ", ".join(fold.fold() for fold in of_kind if event in fold.unnamed))
        differences = list(difflib.unified_diff(file, code[:-1], "interests.txt", "the folds", n=0, lineterm=""))
        if differences:
            self.fail("\n".join(["look at each fold, then write its line into interests.txt:", *undecided, *differences]))


if __name__ == "__main__":
    unittest.main()
