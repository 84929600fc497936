"""The steps of a page of docs: blocks fenced with ```console, in which a prompt stands before what is typed, and what follows is what it
prints, with `...` for what differs from site to site, within a line or as lines of their own."""
import re


def steps(text, prompt):
    """(line of the page, prompt, command, what it prints) of all blocks; `prompt` matches the words before a command."""
    typed = re.compile(rf"({prompt}) (.*)")
    found, inside, command = [], False, None
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("```"):
            inside, command = line == "```console", None
        elif inside:
            words = typed.fullmatch(line)
            if command and goes_on(command[2]):
                command[2] += "\n" + line
            elif words:
                command = [number, words.group(1), words.group(2), ""]
                found.append(command)
            else:
                command[3] += line + "\n"
    return found


def goes_on(command):
    """In the next line: a here-document, or a line that says so."""
    return "<<EOF" in command and not command.endswith("\nEOF") or command.endswith("\\")


def fits(pattern, said):
    """Blanks at the ends of lines do not count."""
    parts = [r"(?:.*\n)*?" if line == "..." else ".*?".join(map(re.escape, line.rstrip().split("..."))) + r" *\n"
             for line in pattern.splitlines()]
    return re.fullmatch("".join(parts), said) is not None
