#!/usr/bin/env python3
"""A type that names its fields for events/values/stored_state.hpp names all of them: a new one that is forgotten there would be gone after
each restart from a checkpoint, and no compiler says so. What is left out stands in a comment inside the type:

    // not stored: places_, because they follow from names_

A type that has fields of its own beside those of a base that names its fields has to name them, too."""
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FOLDERS = ("events", "projections", "hooks-runtime", "actors", "tools", "test")
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|(?<![0-9A-Fa-f])\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
NOT_STORED = re.compile(r"// not stored: (\w+(?:, \w+)*), because ")
HEAD = re.compile(r"(?<!enum )\b(?:struct|class)\s+(\w+)(?:\s+final)?\s*(:[^{;()]*(?:\([^{;()]*\)[^{;()]*)*)?\{")
NO_FIELD = re.compile(r"(?:__extension__ )?(?:using|typedef|friend|static|template|constexpr|inline|static_assert|extern)\b")
TYPE_HEAD = re.compile(r"(?:mutable |const )*(?:struct|class|union|enum)\b")
LABEL = re.compile(r"^\s*(?:public|private|protected)\s*:(?!:)\s*")
TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")


def blanked(text):
    """The code, with blanks where comments and literals stand."""
    return NOT_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), text)


def closing(code, at):
    """Where the bracket at `at` is closed."""
    depth = 0
    for i in range(at, len(code)):
        if code[i] in "{(":
            depth += 1
        elif code[i] in "})":
            depth -= 1
            if depth == 0:
                return i
    return len(code)


def plain(words):
    """A declaration without labels and template arguments."""
    while label := LABEL.match(words):
        words = words[label.end():]
    before = None
    while before != words:
        before, words = words, TEMPLATE_ARGUMENTS.sub("", words)
    return words.strip()


def declared(words):
    """The fields that a declaration has: "std::uint32_t hosts = 0, joined = 0" -> hosts, joined."""
    words = plain(words)
    if not words or NO_FIELD.match(words) or "operator" in words:
        return []
    names = [part.split("=")[0] for part in re.sub(r"=[^,]*\([^()]*\)", "=", words).split(",")]
    if any("(" in name for name in names):
        return []
    if TYPE_HEAD.match(words) and len(names[0].split()) < 3:        # struct newcomer;
        return []
    return [m[1] for name in names if (m := re.search(r"(\w+)\s*(?:\[[^\]]*\]\s*)*(?::\s*\d+\s*)?$", name))]


def parts(code, begin, end):
    """(fields, text of stored_fields, whether it has store()) of a type whose body stands between."""
    fields, named, by_hand, words, at = [], "", False, "", begin
    while at < end:
        c = code[at]
        if c == ";":
            fields += declared(words)
            words = ""
        elif c == "(":
            last = closing(code, at)
            words += code[at:last + 1]
            at = last
        elif c == "{":
            last = closing(code, at)
            head = plain(words)
            if TYPE_HEAD.match(head):
                words = "int "          # what follows declares fields of this type, if anything does
                if re.match(r"\s*;", code[last + 1:end]):
                    words = ""
            elif "(" in head.split("=")[0] or "operator" in head or not head or head[0] in ",:":      # of a function
                if re.search(r"\bstored_fields\(", head):
                    named = code[at:last]
                by_hand |= re.search(r"\bstore\(", head) is not None
                words = ""
            at = last
        else:
            words += c
        at += 1
    return fields, named, by_hand


def types_of(text):
    """(name, bases, fields, names of those that are stored or said not to be; None if none are named, by hand) of each type in a file."""
    code = blanked(text)
    found = []
    for head in HEAD.finditer(code):
        begin, end = head.end(), closing(code, head.end() - 1)
        fields, named, by_hand = parts(code, begin, end)
        stored = None
        if named:
            stored = set(re.findall(r"\bself\.(\w+)", named))
            for names in NOT_STORED.findall(text[begin:end]):
                stored.update(names.split(", "))
        bases = re.findall(r"(\w+)\s*(?:,|$)", plain(head[2] or "").lstrip(":"))
        found.append((head[1], bases, fields, stored, by_hand))
    return found


def complaints(types):
    naming = {name for name, _, _, stored, _ in types if stored is not None}
    wrong = []
    for name, bases, fields, stored, by_hand in types:
        if stored is not None:
            wrong += [f"{name}: {field} is not named" for field in fields if field not in stored]
        elif fields and not by_hand:
            wrong += [f"{name}: it has fields beside those of {base} and names none" for base in bases if base in naming]
    return wrong


class stored_fields(unittest.TestCase):
    def test_every_field_is_named(self):
        wrong, naming, fields_seen = [], 0, 0
        for top in FOLDERS:
            for folder, _, names in os.walk(os.path.join(ROOT, top)):
                for name in sorted(names):
                    if not name.endswith((".cpp", ".hpp")):
                        continue
                    path = os.path.join(folder, name)
                    with open(path, encoding="utf-8") as f:
                        text = f.read()
                    if "stored_fields" not in text or name == "stored_state.hpp":
                        continue
                    types = types_of(text)
                    naming += sum(stored is not None for _, _, _, stored, _ in types)
                    fields_seen += sum(len(fields) for _, _, fields, stored, _ in types if stored is not None)
                    wrong += [f"{os.path.relpath(path, ROOT)}: {what}" for what in complaints(types)]
        self.assertEqual(wrong, [])
        self.assertGreater(naming, 60)
        self.assertGreater(fields_seen, 200)

    def test_fields_are_found_however_they_are_declared(self):
        text = """
        class thing : public base<int, other>, private noted {
         public:
          enum class kind : std::uint8_t { a, b };
          struct part {
            int inner = 0;
          };
          enum class step { x } at = step::x;
          thing() = default;
          explicit thing(int n) : one_(n), two_{n} {}
          template <class Io, class Self>
          static void stored_fields(Io& io, Self& self) {
            // not stored: home_, because who makes it says it
            // not stored: index_, cache_, because they follow from the others
            io(self.at, self.one_, self.two_, self.both);
            io(self.call_);
          }
          bool operator==(const thing&) const = default;
          auto operator<=>(const thing& other) const { return one_ <=> other.one_; }
          std::size_t size() const { return one_; }
          part both, // here a comment: of two
              forgotten;

         private:
          using names = std::map<std::string, int>;
          static constexpr int most = 3;
          static int made(int n);
          friend class other;
          struct newcomer;
          int one_ = f(1, 2), two_{7}, bits_ : 3;
          std::function<void(int, bool)> call_;
          std::map<std::string, std::vector<int>, std::less<>> home_, index_{{"a", {}}};
          mutable std::array<int, 2> cache_ = {1, 2};
          char text_[8];
          names lost_;
        };"""
        types = {name: rest for name, *rest in types_of(text)}
        self.assertEqual(types["thing"][1], ["at", "both", "forgotten", "one_", "two_", "bits_", "call_", "home_", "index_", "cache_", "text_",
                                             "lost_"])
        self.assertEqual(types["part"][1], ["inner"])
        self.assertEqual(complaints(types_of(text)), [f"thing: {name} is not named" for name in ("forgotten", "bits_", "text_", "lost_")])

    def test_fields_beside_those_of_a_base_are_found(self):
        base = "struct base { int a; static void stored_fields(auto& io, auto& self) { io(self.a); } };\n"
        self.assertEqual(complaints(types_of(base + "struct more : base { int b = 0; };")),
                         ["more: it has fields beside those of base and names none"])
        for fine in ("struct none : base { int b() const; };", "struct own : base { int b; void store(auto& to) const { to(a, b); } };"):
            self.assertEqual(complaints(types_of(base + fine)), [])


if __name__ == "__main__":
    unittest.main()
