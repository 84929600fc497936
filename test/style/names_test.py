#!/usr/bin/env python3
"""Every path, type, function and other name of the code that docs/ or a comment speaks of must exist.

A name is looked for among the words of the code (comments left out), a path among the files of the checkout, where the end of a path is
enough (`callers/uploads.cpp`). In docs/ what stands between backquotes is looked at, in comments also what looks like a name by
itself: with an underscore, `::`, `()`, or capitals inside. allowed_names.txt lists what exists elsewhere.
"""
import fnmatch
import io
import os
import re
import sys
import tokenize
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
SOURCES = (".cpp", ".hpp", ".h", ".c", ".capnp")
HASHED = (".cmake", ".sh", "CMakeLists.txt", ".capnp", ".service", ".conf")
# Nothing here speaks of the code: compared texts, generated pages, man pages' own markup, what is to be built.
UNREAD = ("test/conformance/golden/data", "test/fuzz/corpus", "test/requirements/ids.txt", "test/requirements/reasons.txt",
          "cluster-config/shipped", ".git/")
EXTENSIONS = r"(?:cpp|hpp|h|c|py|md|capnp|cmake|txt|sh)"

C_TOKENS = re.compile(r'R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'|//[^\n]*|/\*(?:.|\n)*?\*/')
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
PART = r"(?:[\w.*+-]|\{[^{}\s]*\})+"      # of a path: mom/{run,part}_*.cpp
PATH = re.compile(rf"(?<![\w/$.<>~:-]){PART}(?:/{PART})+/?|(?<![\w/$.-])(?:[\w*-]|\{{[^{{}}\s]*\}})+\.{EXTENSIONS}\b")
TOP = ("actors/", "cluster-config/", "docs/", "events/", "hooks-runtime/", "projections/", "test/", "tools/", "build/")
NAMES_IN_PROSE = re.compile(
    r"(?<![\w/$.<-])("
    r"[A-Za-z_]\w*(?:::~?\w+)+"               # a::b
    r"|[A-Za-z]\w*\(\)"                       # f()
    r"|[a-z][a-z0-9]*(?:_[a-z0-9]+)+"         # snake_case
    r"|[A-Z][a-z0-9]+(?:[A-Z][a-z0-9]+)+"     # CamelCase
    r")(?![\w/*-])")


def files():
    for folder, folders, names in os.walk(ROOT):
        inside = os.path.relpath(folder, ROOT)
        folders[:] = [f for f in folders if not (inside == "." and (f.startswith("build") or f == ".git")) and f != "__pycache__"]
        for name in names:
            yield os.path.normpath(os.path.join(inside, name))


def text_of(path):
    with open(os.path.join(ROOT, path), encoding="utf-8", errors="replace") as f:
        return f.read()


def split_c(text):
    """(code, [(line, comment)]) of C, C++."""
    comments = []

    def take(match):
        token = match.group()
        if token[:2] in ("//", "/*"):
            comments.append((text.count("\n", 0, match.start()) + 1, token))
            return " "
        return token
    return C_TOKENS.sub(take, text), comments


def split_hashed(text):
    code, comments = [], []
    for number, line in enumerate(text.split("\n"), 1):
        before, mark, after = line.partition("#")
        if mark and before.count('"') % 2 == 0 and (not before or before[-1] in " \t;"):
            comments.append((number, after))
            line = before
        code.append(line)
    return "\n".join(code), comments


def split_python(text):
    code, comments = [], []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT:
                comments.append((token.start[0], token.string))
            elif token.type == tokenize.STRING and token.string.lstrip("rbuf").startswith('"""') and token.line.strip().startswith('"""'):
                comments.append((token.start[0], token.string))
            else:
                code.append(token.string)
    except (tokenize.TokenError, IndentationError):
        return text, []
    return " ".join(code), comments


def split(path, text):
    if path.endswith((".cpp", ".hpp", ".h", ".c")):
        return split_c(text)
    if path.endswith(".py") or text.startswith("#!/usr/bin/env python3"):
        return split_python(text)
    if path.endswith(HASHED) or text.startswith("#!"):
        return split_hashed(text)
    return text, []


def words_of_events(path):
    """An event is called by its kind and its name (docs/design/0030-events-by-kind.md): JobQueued."""
    if not re.fullmatch(r"events/schema/event/\w+\.capnp", path):
        return
    for kind, union in re.findall(r"struct (\w+)Event \{\s*union \{\n(.*?)\n  \}", text_of(path), re.S):
        for name in re.findall(r"^    (\w+) +@", union, re.M):
            yield kind + name[0].upper() + name[1:]


class Tree:
    def __init__(self):
        self.files = sorted(files())
        self.paths = set(self.files)
        for path in self.files:
            while os.path.dirname(path):
                path = os.path.dirname(path)
                self.paths.add(path)
        self.ends = {}
        for path in self.paths:
            self.ends.setdefault(os.path.basename(path), []).append(path)
        self.words, self.comments, self.docs = set(), {}, {}
        for path in self.files:
            if path.startswith(UNREAD) or re.match(r"test/golden-logs/\d", path) or path.startswith("test/style/allowed"):
                continue
            if path.startswith("docs/") or path == "README.md":
                if path.endswith(".md"):
                    self.docs[path] = text_of(path)
                continue
            if path in ("CHANGELOG.md", "LICENSE"):
                continue
            code, comments = split(path, text_of(path))
            self.words.update(WORD.findall(code))
            if comments and not path.startswith("test/style/"):
                self.comments[path] = comments
        for path in self.paths:
            self.words.update(WORD.findall(path))
            self.words.update(words_of_events(path))
        with open(os.path.join(HERE, "allowed_names.txt"), encoding="utf-8") as f:
            self.allowed = [line.split("#")[0].strip() for line in f if line.split("#")[0].strip()]
        self.stems = {os.path.splitext(os.path.basename(p))[0] for p in self.files}
        self.used = set()

    def is_allowed(self, name):
        for pattern in self.allowed:
            if fnmatch.fnmatchcase(name, pattern):
                self.used.add(pattern)
                return True
        return False

    def has_path(self, path):
        path = re.sub(r"^build/", "", path.rstrip("/."))     # what is built stands where its sources do
        if path == "stage" or path.startswith("stage/"):
            return path == "stage" or os.path.basename(path) in self.stems
        if re.fullmatch(r"(docs/)?design/\d{4}", path):
            path += "-*"
        pattern = "*" in path
        for one in expanded(path):
            if pattern:
                if not any(fnmatch.fnmatchcase(p, one) or fnmatch.fnmatchcase(p, "*/" + one) for p in self.paths):
                    return False
                continue
            ends = self.ends.get(os.path.basename(one), [])
            if not any(p == one or p.endswith("/" + one) for p in ends):
                # a file without its extension, or a name of the code behind a folder
                folder, name = os.path.split(one)
                if not folder or not self.has_path(folder) or (name not in self.words and name not in self.stems):
                    return False
        return True

    def has_name(self, name):
        """A message is called StartRun where it is a row `startRun` of a union."""
        return all(w in self.words or w[0].lower() + w[1:] in self.words for w in WORD.findall(name))


def expanded(path):
    """a/{b,c}.cpp -> a/b.cpp, a/c.cpp"""
    match = re.search(r"\{([^{}]*)\}", path)
    if not match:
        return [path]
    return [p for part in match.group(1).split(",") for p in expanded(path[:match.start()] + part + path[match.end():])]


def unknown_in_docs(tree):
    for doc, text in tree.docs.items():
        fenced = False
        for number, line in enumerate(text.split("\n"), 1):
            if line.lstrip().startswith("```"):
                fenced = not fenced
            if fenced or line.startswith("    "):      # commands and programs: only paths of the checkout
                for path in PATH.findall(line):
                    if path.startswith(TOP) and not tree.has_path(path) and not tree.is_allowed(path):
                        yield doc, number, path
                continue
            for link in re.findall(r"\]\(([^)#]+)[^)]*\)", line):
                if not link.startswith("http") and not os.path.exists(os.path.join(ROOT, os.path.dirname(doc), link)):
                    yield doc, number, link
            for quoted in re.findall(r"`([^`]+)`", line):
                yield from ((doc, number, name) for name in unknown_in_code(tree, quoted))


def unknown_in_code(tree, quoted):
    if tree.is_allowed(quoted):
        return
    if re.fullmatch(PATH, quoted):
        if not tree.has_path(quoted):
            yield quoted
    elif re.fullmatch(r"[A-Za-z_][\w:~]*(\(\))?", quoted):
        if not tree.has_name(quoted):
            yield quoted
    else:
        for name in NAMES_IN_PROSE.findall(quoted):
            if not tree.has_name(name) and not tree.is_allowed(name):
                yield name


def unknown_in_comments(tree):
    for source, comments in tree.comments.items():
        for number, comment in comments:
            for offset, line in enumerate(comment.split("\n")):
                if "http" in line:
                    continue
                at = number + offset
                for path in PATH.findall(line):
                    if not path.startswith(TOP) and not re.search(rf"\.{EXTENSIONS}$", path.rstrip(".")):
                        continue            # "and/or", fractions, exec_host
                    if not tree.has_path(path) and not tree.is_allowed(path):
                        yield source, at, path
                for name in NAMES_IN_PROSE.findall(PATH.sub(" ", line)):
                    if not tree.has_name(name) and not tree.is_allowed(name):
                        yield source, at, name


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.tree = Tree()

    def none(self, found):
        found = sorted(set(found))
        if found:
            self.fail("\n".join(["names that are nowhere in the code (mend the text, or test/style/allowed_names.txt):"] +
                                ["%s:%d: %s" % f for f in found]))

    def test_1_docs_name_what_exists(self):
        self.none(unknown_in_docs(self.tree))

    def test_2_comments_name_what_exists(self):
        self.none(unknown_in_comments(self.tree))

    def test_3_no_allowed_name_is_superfluous(self):
        list(unknown_in_docs(self.tree)), list(unknown_in_comments(self.tree))
        self.assertEqual([p for p in self.tree.allowed if p not in self.tree.used], [])


if __name__ == "__main__":
    unittest.main()
