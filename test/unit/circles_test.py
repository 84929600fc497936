"""No modules in a circle: a header and its sources are one module, and what it includes, directly or through others, never includes it.
Whoever reads a module then needs to know only those below it, and each can be tested without those above it."""
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("events", "projections", "hooks-runtime", "actors", "tools")
INCLUDE = re.compile(r'^#include "([^"]+\.hpp)"', re.MULTILINE)


def sources():
    """Path below the root -> text, of every header and source."""
    return {file.relative_to(ROOT).as_posix(): file.read_text()
            for folder in FOLDERS for file in sorted((ROOT / folder).rglob("*.?pp"))}


def module_of(path, headers):
    """A header's path without its ending. A source belongs to the header that is called as it is, or else to the one whose name, and an
    underscore, it begins with; without any it is a module of its own."""
    stem = path.rsplit(".", 1)[0]
    name = stem
    while path.endswith(".cpp") and name not in headers:
        name, _, rest = name.rpartition("_")
        if not name or "/" in rest:
            return stem
    return name


def includes_between_modules(texts):
    """Module -> {module that it includes: ["file includes header"]}."""
    headers = {path.rsplit(".", 1)[0] for path in texts if path.endswith(".hpp")}
    graph = {}
    for path, text in texts.items():
        module = module_of(path, headers)
        used = graph.setdefault(module, {})
        for header in INCLUDE.findall(text):
            other = header.rsplit(".", 1)[0]
            if other in headers and other != module:
                used.setdefault(other, []).append(f"{path} includes {header}")
    return graph


def circles(graph):
    """Groups of modules of which each reaches each other one: Tarjan's strongly connected components, without recursion."""
    number, lowest, waiting, is_waiting, found = {}, {}, [], set(), []
    for root in sorted(graph):
        if root in number:
            continue
        path = [(root, iter(sorted(graph[root])))]
        number[root] = lowest[root] = len(number)
        waiting.append(root)
        is_waiting.add(root)
        while path:
            module, rest = path[-1]
            other = next(rest, None)
            if other is None:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[module])
                if lowest[module] == number[module]:
                    at = waiting.index(module)
                    group, waiting = waiting[at:], waiting[:at]
                    is_waiting -= set(group)
                    if len(group) > 1:
                        found.append(tuple(sorted(group)))
            elif other not in number:
                number[other] = lowest[other] = len(number)
                waiting.append(other)
                is_waiting.add(other)
                path.append((other, iter(sorted(graph.get(other, {})))))
            elif other in is_waiting:
                lowest[module] = min(lowest[module], number[other])
    return found


def described(group, graph):
    """The modules of a circle and the includes that make it, one a line."""
    lines = [f"a circle of {len(group)} modules: {', '.join(group)}"]
    for module in group:
        for other in sorted(set(graph[module]) & set(group)):
            lines += [f"  {include}" for include in graph[module][other]]
    return "\n".join(lines)


class Circles(unittest.TestCase):
    def test_no_module_includes_itself_through_others(self):
        graph = includes_between_modules(sources())
        self.assertGreater(len(graph), 500)
        self.assertEqual("\n".join(described(group, graph) for group in circles(graph)), "")

    def test_a_circle_is_found_with_the_includes_that_make_it(self):
        graph = includes_between_modules({
            "events/a.hpp": "",
            "events/a.cpp": '#include "events/a.hpp"\n\n#include "events/b.hpp"\n',
            "events/b.hpp": '#include "events/c.hpp"\n',
            "events/c.hpp": "",
            "events/c_more.cpp": '#include "events/a.hpp"\n#include "events/d.hpp"\n',
            "events/d.hpp": '#include "events/e.hpp"\n',
            "events/e.hpp": "",
        })
        self.assertEqual(circles(graph), [("events/a", "events/b", "events/c")])
        self.assertEqual(described(("events/a", "events/b", "events/c"), graph).splitlines(), [
            "a circle of 3 modules: events/a, events/b, events/c",
            "  events/a.cpp includes events/b.hpp",
            "  events/b.hpp includes events/c.hpp",
            "  events/c_more.cpp includes events/a.hpp"])

    def test_a_source_with_a_header_of_its_own_is_a_module_of_its_own(self):
        headers = {"events/a", "events/a_b", "tools/x"}
        self.assertEqual(module_of("events/a_b_c.cpp", headers), "events/a_b")
        self.assertEqual(module_of("events/a_c.cpp", headers), "events/a")
        self.assertEqual(module_of("events/c_d.cpp", headers), "events/c_d")
        self.assertEqual(module_of("x_tools/c.cpp", headers), "x_tools/c")


if __name__ == "__main__":
    unittest.main()
