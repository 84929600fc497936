"""The pages in docs/compatibility, and their index in docs/compatibility.md, made of names/."""
import os
import re

from sections import HERE, VERDICTS

DOCS = os.path.join(HERE, "..", "..", "..", "docs")
INDEX, FOLDER = os.path.join(DOCS, "compatibility.md"), os.path.join(DOCS, "compatibility")
BEGIN = "<!-- names: begin (test/conformance/compatibility/compatibility_test.py --write) -->"
END = "<!-- names: end -->"
EFFECT_SHOWN = ("how many of the names work, or differ, with a test that would fail if nothing followed from them; their rows name it. "
                "That they are taken and shown is not enough for it")


def cell(text):
    return text.replace("|", "\\|")


def code(text):
    return f"`{cell(text)}`" if text else ""


def shown_text(section, row):
    """What a command or a log says of it, and what a reader should know."""
    tells = row.verdict in ("refused", "absent", "no effect") and section.keys["kind"] != "log lines"
    said = f"`{cell(row.says)}`" if tells and row.says else ""
    return "; ".join(part for part in (said, cell(row.note)) if part)


def test_of(row):
    name = os.path.basename(row.also)
    return f"[{name}](../../{row.also})" if name else ""


def effect_of(row):
    return f"[{row.effect[1]}](../../{row.effect[0]})" if row.effect else ""


def about_tests(shown, also):
    shown_by = "; *effect shown by* names the test that would fail if nothing followed from it" if shown else ""
    return shown_by + ("; *also in* names another test that uses it" if also else "") + "."


def page(section):
    tried, also = any(row.tried for row in section.rows), any(row.also for row in section.rows)
    shown = any(row.effect for row in section.rows)
    lines = [f"# {section.keys['title']}", "",
             f"Made from `test/conformance/compatibility/names/{section.file}.txt` by `compatibility_test.py --write`; do not edit.",
             f"{section.keys['about']} Every row is tried by [compatibility_test.py](../../test/conformance/compatibility/compatibility_test.py)"
             + about_tests(shown, also), ""]
    for heading, rows in section.parts:
        if not rows:
            continue
        if heading:
            lines += [f"## {heading}", ""]
        columns = ["name", "", *(["tried with"] if tried else []), "what to know", *(["effect shown by"] if shown else []), *(["also in"] if also else [])]
        lines += ["| " + " | ".join(columns) + " |", "|---" * len(columns) + "|"]
        for row in rows:
            cells = [code(row.name), row.verdict, *([code(row.tried)] if tried else []), shown_text(section, row),
                     *([effect_of(row)] if shown else []), *([test_of(row)] if also else [])]
            lines.append("| " + " | ".join(cells) + " |")
        lines.append("")
    return "\n".join(lines)


def index(sections):
    lines = [BEGIN, "", "| | names | " + " | ".join(VERDICTS) + " | effect shown |", "|---|---|---|" + "---|" * len(VERDICTS)]
    for section in sections:
        count = [sum(row.verdict == verdict for row in section.rows) for verdict in VERDICTS]
        count.append(sum(row.effect is not None for row in section.rows))
        lines.append(f"| [{section.keys['title']}](compatibility/{section.file}.md) | {len(section.rows)} | "
                     + " | ".join(str(n or "") for n in count) + " |")
    legend = {**VERDICTS, "effect shown": EFFECT_SHOWN}
    return "\n".join([*lines, "", *(f"- *{word}*: {text}" for word, text in legend.items()), "", END])


def with_index(text, sections):
    return re.sub(re.escape(BEGIN) + ".*" + re.escape(END), lambda _: index(sections), text, flags=re.S)


def text_of(path):
    if not os.path.exists(path):
        return ""
    with open(path, encoding="utf-8") as f:
        return f.read()


def wanted(sections):
    """path -> text."""
    pages = {os.path.join(FOLDER, section.file + ".md"): page(section) for section in sections}
    return {**pages, INDEX: with_index(text_of(INDEX), sections)}


def out_of_date(sections):
    pages = wanted(sections)
    there = {os.path.join(FOLDER, name) for name in os.listdir(FOLDER)}
    return sorted({path for path, text in pages.items() if text_of(path) != text} | (there - set(pages)))


def write(sections):
    """What is wrong with the rows, if anything is; then nothing is written."""
    wrong = [text for section in sections for text in section.wrong]
    if not wrong:
        os.makedirs(FOLDER, exist_ok=True)
        for path, text in wanted(sections).items():
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
    return "\n".join(wrong) or None
