"""The compiler's command of each source of a build, also of those that are compiled several as one (cluster-config/build/annals.cmake)."""
import json
import pathlib
import re
import shlex


def of_groups(build):
    """(entry of BUILD/compile_commands.json, the sources that it compiles as one) for each of them."""
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        file = pathlib.Path(entry["file"])
        yield entry, re.findall(r'(?m)^#include "(.+)"$', file.read_text()) if file.parent.name == "Unity" else [entry["file"]]


def for_file(entry, path):
    """The entry, to compile another file in the same way."""
    return {**entry, "file": str(path), "command": entry["command"].replace(f" -c {entry['file']}", f" -c {path}")}


def of_sources(build):
    """The entries of BUILD/compile_commands.json, one for each source, as if each were compiled alone."""
    return [for_file(entry, source) for entry, sources in of_groups(build) for source in sources]


def words(entry):
    """The compiler and its arguments, without what launches it."""
    found = shlex.split(entry["command"])
    launcher = [i for i, word in enumerate(found) if pathlib.Path(word).name == "ccache"]
    return found[launcher[0] + 1:] if launcher else found
