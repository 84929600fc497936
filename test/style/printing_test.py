#!/usr/bin/env python3
"""Programs below tools print what others wrote by tools/client/printed.hpp and tools/client/query/output.hpp alone: these change what would
steer a terminal. What a program writes without them is its own words: a literal, its usage, its version."""
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WRITES = re.compile(r"std::(?:f?printf|f?puts|f?putc|putchar|fwrite|cout|cerr|perror)\b|\bapp\.exit\(\w+\)|(?<!\w)(?:::)?write\((?:1|2|STDOUT_FILENO|STDERR_FILENO)\b")
OWN_WORDS = re.compile(r'std::f?puts\(\s*(?:"|(?:\w+(?:::|\.))*(?:usage|version_line\(\)\.c_str\(\)|help_text\(\w+\)\.c_str\(\)))'
                       r'|std::printf\("(?:%s)+", help_text\(\w+\)\.c_str\(\)(?:, \w+_help(?:\.c_str\(\))?)+\)'
                       r'|std::printf\("[^"%]*%zu[^"%]*"')
# File -> what it writes.
OTHERS = {
    "tools/client/printed.cpp": "it is the one place",
    "tools/client/query/output.cpp": "it is the other one",
    "tools/client/query/content_file.cpp": "a file",
    "tools/client/query/indexed_output.cpp": "a job's output, as cat",
    "tools/terminal/sitting.cpp": "what an interactive job prints",
    "tools/commands/pbs_task_input.cpp": "the input of a task",
    "tools/client/task_signals.cpp": "its own words, in a handler of a signal",
    "tools/daemons/pbs_enroll.cpp": "a certificate",
    "tools/daemons/definition_command.cpp": "a vnode definition file of root's, as cat",
    "tools/audit/apart.cpp": "a pipe",
}


def writes_of(text):
    """The statements that write, without those that have nothing but the program's own words."""
    text = re.sub(r"//[^\n]*", "", text)
    return [text[m.start():m.start() + 100].split("\n")[0] for m in WRITES.finditer(text) if not OWN_WORDS.match(text, m.start())]


class printing(unittest.TestCase):
    def test_all_goes_through_one_place(self):
        found = {}
        for folder, _, names in os.walk(os.path.join(ROOT, "tools")):
            for name in names:
                path = os.path.join(folder, name)
                if not name.endswith((".cpp", ".hpp")) or "libdrmaa" in path or "libpbs" in path:
                    continue
                with open(path) as f:
                    if writes := writes_of(f.read()):
                        found[os.path.relpath(path, ROOT)] = writes
        self.assertEqual({path: writes for path, writes in found.items() if path not in OTHERS}, {})
        self.assertEqual([path for path in OTHERS if path not in found], [], "these write no more")

    def test_one_that_does_not_is_found(self):
        for line in ('std::fprintf(stderr, "%s\\n", name);', "std::puts(name.c_str());", "std::cout << name;", "write(STDOUT_FILENO, p, n);",
                     'std::printf("job %s\\n", id);', "std::fputs(text.c_str(), stderr);"):
            self.assertEqual(writes_of(line), [line])
        for line in ('std::fputs("no name\\n", stderr);', "std::puts(client::version_line().c_str());", "std::fputs(c.usage, stderr);",
                     'std::snprintf(text, sizeof text, "%s", x);', "// std::puts(x)", "rewrite(1, 2);"):
            self.assertEqual(writes_of(line), [])


if __name__ == "__main__":
    unittest.main()
