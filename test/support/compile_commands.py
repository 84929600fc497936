"""The compiler's command of each source of a build, also of those that are compiled several as one (cluster-config/build/annals.cmake)."""
import json
import pathlib
import re


def of_sources(build):
    """The entries of BUILD/compile_commands.json, one for each source, as if each were compiled alone."""
    found = []
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        together = pathlib.Path(entry["file"])
        if together.parent.name != "Unity":
            found.append(entry)
            continue
        for source in re.findall(r'(?m)^#include "(.+)"$', together.read_text()):
            found.append({**entry, "file": source, "command": entry["command"].replace(f" -c {together}", f" -c {source}")})
    return found
