"""What never gets into a snapshot, obfuscated or not: keys, passwords, what jobs have in their environment, configurations of hooks."""
import base64
import binascii
import os
import re

LEFT_OUT = "<left out>"
# A word that says it: password = ..., "token": "...", API_KEY=...
NAMED = re.compile(r"""(?i)((?:passw(?:or)?d|passphrase|secret|token|credential|api_?key|private_?key|cookie)\w*["']?\s*[=:]+\s*)"""
                   r"""("[^"]*"|'[^']*'|[^\s,;|]+)""")
VARIABLES = re.compile(r"^(\s*Variable_List\s*=\s*)(.*)$")
DSV_VARIABLES = re.compile(r"(?<=\|)(Variable_List=)((?:\\.|[^|\\])*)")
ATTRIBUTES = re.compile(r"^(\s*(?:forward_x11_cookie|cookie|cred|credential_id|resv_cookie)\s*=\s*).*$")
DSV_ARGUMENTS = re.compile(r"(?<=\|)(Submit_arguments=)((?:\\.|[^|\\])*)")
ARGUMENTS = re.compile(r"^(\s*Submit_arguments = )(.*)$")
GIVEN_VARIABLES = re.compile(r"((?:^|\s)-\w*v).*$", re.DOTALL)      # to the end: nobody knows where a value with blanks ends
ATTRIBUTE = re.compile(r"    (\S+) = ")
ENDS_VARIABLES = re.compile(r"\bPBS_O_(?:HOST|QUEUE)=")      # the server puts them behind the user's
HOOK_PART = re.compile(r"(?m)^(import hook (\S+) (application/x-\w+) base64 -)\n((?:[A-Za-z0-9+/=]+\n)*)")


def unfolded(lines):
    """Lines of qstat -f go on behind a tab; they are easier to read, and to look through, as one."""
    whole = None
    for line in lines:
        if line.startswith("\t") and whole is not None:
            whole = whole.rstrip("\n") + line[1:]
            continue
        if whole is not None:
            yield whole
        whole = line
    if whole is not None:
        yield whole


def of_status(lines):
    """Of qstat -f: one line for each attribute. Variables may have values of many lines, which look like anything."""
    job = []
    for line in unfolded(lines):
        if line.startswith("Job Id: "):
            yield from of_job(job)
            job = []
        job.append(line)
    yield from of_job(job)


def of_job(lines):
    if not lines or not lines[0].startswith("Job Id: "):
        yield from lines
        return
    first = next((i for i, line in enumerate(lines) if VARIABLES.match(line)), None)
    of_values = ()
    if first is not None:
        last = max((i for i, line in enumerate(lines) if i >= first and ENDS_VARIABLES.search(line)), default=first)
        of_values = tuple(line.partition(",")[0].rstrip("\n") for line in lines[first + 1:last + 1])
        of_values = tuple(line for line in of_values if line)      # Submit_arguments may have them again
        lines[first:last + 1] = ["".join(lines[first:last + 1]).rstrip("\n").replace("\n", " ") + "\n"]
    yield lines[0]
    seen = set()
    for line in lines[1:]:
        found = ATTRIBUTE.match(line)
        if found and found.group(1) not in seen and not line.startswith(of_values):      # else a further line of a value
            seen.add(found.group(1))
            yield line
    yield "\n"


def without_secrets(lines):
    in_key = False
    for line in lines:
        if "-----BEGIN " in line:
            in_key = True
            yield f"{line[:line.index('-----BEGIN ')]}{LEFT_OUT}\n"
        if in_key:
            in_key = "-----END " not in line
            continue
        for expression, kept in ((VARIABLES, kept_variables), (DSV_VARIABLES, kept_variables), (ARGUMENTS, kept_arguments),
                                 (DSV_ARGUMENTS, kept_arguments)):
            line = expression.sub(lambda m, kept=kept: m.group(1) + kept(m.group(2)), line)
        line = ATTRIBUTES.sub(rf"\g<1>{LEFT_OUT}", line)
        yield NAMED.sub(rf"\g<1>{LEFT_OUT}", line)


def kept_arguments(text):
    return GIVEN_VARIABLES.sub(rf"\g<1> {LEFT_OUT}", text)


def kept_variables(text):
    """PBS's own with their values; of the others, which came with -v or -V, the names."""
    kept = []
    for variable in re.split(r",(?=[A-Za-z_]\w*=)", text):
        name = variable.partition("=")[0]
        kept.append(variable if name.startswith("PBS_O_") else f"{name}={LEFT_OUT}")
    return ",".join(kept)


def hook_files(path):
    """Takes hooks' contents out of qmgr's output: scripts become files beside it, configurations go. The files."""
    try:
        with open(path, encoding="utf-8") as f:
            text = f.read()
    except OSError:
        return []
    made = []

    def take(match):
        head, hook, kind, body = match.groups()
        if kind != "application/x-python":
            return f"# {head}: {len(body)} bytes left out\n"
        file = os.path.join(os.path.dirname(path), f"{os.path.basename(hook)}.py")
        try:
            script = base64.b64decode(body).decode(errors="replace")
        except binascii.Error:
            return f"# {head}: not base64\n"
        with open(file, "w", encoding="utf-8") as out:
            out.writelines(without_secrets(script.splitlines(keepends=True)))
        made.append(file)
        return f"# {head}: see {os.path.basename(file)}\n"
    text = HOOK_PART.sub(take, text)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return made
