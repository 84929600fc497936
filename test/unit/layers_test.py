"""Who may use whom: what a folder's sources include, its library names after USES, and no library uses itself, by whatever way.
Static libraries would link with a cycle, and a header needs no link at all: neither CMake nor the linker says anything."""
import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = re.compile(r"annals_library\((\w+)(.*?)\)", re.DOTALL)
PROGRAM = re.compile(r"annals_(?:library|program)\((\w+)(.*?)\)", re.DOTALL)
# What is declared below each folder. Programs count only in tools: below actors and hooks-runtime they are made of single files of
# other folders. The commands are declared by a function of their own and are not looked at.
FOLDERS = {"events": LIBRARY, "projections": LIBRARY, "hooks-runtime": LIBRARY, "actors": LIBRARY, "tools": PROGRAM}
INCLUDE = re.compile(r'^#include "([^"]+\.hpp)"', re.MULTILINE)
TOP_LEVEL = {"CHANGELOG.md", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "actors", "cluster-config", "docs", "events",
             "hooks-runtime", "projections", "test", "tools"}      # and files that begin with a dot
NUMBERS = re.compile(r"limits\.hpp$")        # constants alone: whoever meets a limit may name it


def libraries():
    """Name -> (folder, names of the libraries it uses), of every library and of the programs of tools."""
    found = {}
    for folder, declared in FOLDERS.items():
        for file in sorted((ROOT / folder).rglob("CMakeLists.txt")):
            text = re.sub(r"#.*", "", file.read_text())
            for name, rest in declared.findall(text):
                words, uses, inside = rest.split(), [], False
                for word in words:
                    if word in ("SOURCES", "USES", "PRIVATE_USES"):
                        inside = word != "SOURCES"
                    elif inside and word.startswith("annals_"):
                        uses.append(word)
                found[name] = (file.parent.relative_to(ROOT).as_posix(), uses)
    return found


def reachable(name, all_libraries):
    """What the library may include from: what it uses, and what that uses."""
    seen, todo = set(), list(all_libraries[name][1])
    while todo:
        used = todo.pop()
        if used not in seen and used in all_libraries:
            seen.add(used)
            todo += all_libraries[used][1]
    return seen


def foreign_includes(all_libraries):
    """Lines "folder/file includes other/header" that no USES of the file's folder allows."""
    in_folder = {}
    for name, (folder, _) in all_libraries.items():
        in_folder.setdefault(folder, set()).add(name)
    wrong = []
    for folder, names in sorted(in_folder.items()):
        may = {all_libraries[r][0] for name in names for r in reachable(name, all_libraries)} | {folder}
        for file in sorted((ROOT / folder).rglob("*.?pp")):
            if library_folder(file.relative_to(ROOT).as_posix(), in_folder) != folder:
                continue
            for header in INCLUDE.findall(file.read_text()):
                of = library_folder(header, in_folder)
                if of and of not in may and not NUMBERS.search(header):
                    wrong.append(f"{file.relative_to(ROOT)} includes {header}")
    return wrong


def library_folder(file, in_folder):
    """The nearest folder above the file that declares a library; None: there is none."""
    return next((p.as_posix() for p in Path(file).parents if p.as_posix() in in_folder), None)


class Layers(unittest.TestCase):
    def test_no_library_uses_itself(self):
        all_libraries = libraries()
        self.assertGreater(len(all_libraries), 20)
        for name in all_libraries:
            self.assertNotIn(name, reachable(name, all_libraries), f"{name} uses itself")

    def test_what_is_included_is_used(self):
        self.assertEqual(foreign_includes(libraries()), [])

    def test_the_servers_actors_know_nothing_of_the_gateway(self):
        all_libraries = libraries()
        self.assertEqual(all_libraries["annals_gateway"][0], "actors/gateway")
        self.assertIn("annals_server", reachable("annals_gateway", all_libraries))
        self.assertNotIn("annals_gateway", reachable("annals_server", all_libraries))
        wrong = [f.name for f in (ROOT / "actors/server").rglob("*.?pp")
                 if any(h.startswith("actors/gateway/") for h in INCLUDE.findall(f.read_text()))]
        self.assertEqual(wrong, [])

    def test_the_top_level_holds_what_it_should(self):
        listed = subprocess.run(["git", "-C", str(ROOT), "-c", "safe.directory=*", "ls-files"], capture_output=True, text=True)
        if listed.returncode:
            self.skipTest("needs a checkout of git")
        top = {path.split("/")[0] for path in listed.stdout.splitlines()}
        self.assertEqual({name for name in top if not name.startswith(".")}, TOP_LEVEL)

    def test_a_foreign_include_is_found(self):
        all_libraries = libraries()
        all_libraries["annals_gateway"] = ("actors/gateway", [])
        self.assertTrue(any("actors/server/" in line for line in foreign_includes(all_libraries)))


if __name__ == "__main__":
    unittest.main()
