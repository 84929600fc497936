"""The names of a site and what stands for them. The same name gets the same word everywhere, and, with its map, in later snapshots too."""
import json
import os
import re
import secrets
import tempfile

from .installation import Trouble

LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
WORD_LENGTH = 8
LONG = 5             # from here on a name is replaced also inside of other words
# What every PBS has: says nothing of a site, and logs without it can't be read.
KEPT = set("""root daemon nobody pbsadmin pbsuser adm bin sys tty mail localhost localhost.localdomain default workq STDIN pbs PBS Server
    pbs_server pbs_mom pbs_sched pbs_comm pbs_follow PBS_Server Scheduler Comm Mom MOM _pbs_project_default pbs-default sendmail true false True False
    user users None PBS_GENERIC PBS_ALL""".split())
# Words of PBS and of logs: a name that is one is replaced only where a name stands, as in 12.server, root@server or (batch:ncpus=1).
ORDINARY = KEPT | set("""
    server servers queue queues node nodes vnode vnodes host hosts job jobs sched scheduler mom hook hooks resource resources batch test tests
    run running start started stop stopped end ended exit time walltime cput ncpus mem vmem mpiprocs select place free pack scatter group
    account project name owner state type size list set unset create delete print active import export event request requests received
    record log logs file files files.out home tmp var spool usr etc opt dev proc bin sbin lib libexec share python system kernel linux Linux
    admin manager managers operator operators message error warning info debug status comment cycle priv output input data sleep bash echo
    true date main work scratch interactive short long low high normal express small large medium fast slow snapshot pbs_snapshot stage
    cluster held queued config command commands null from with that this then have been does only what when which will there their after
    before other at on in of to is no not by as an it for and the was one two all new old up down off out use used
    Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec Mon Tue Wed Thu Fri Sat Sun""".split())
OWN_QUEUE = re.compile(r"[RSM]\d+$")      # of a reservation
MOMENT = re.compile(r"\d{1,2}/\d{1,2}/\d{4}\b|\d{1,2}:\d\d(?::\d\d)?$")
# No name of these kinds has other characters: what was taken for one is a piece of a line.
SHAPES = {kind: re.compile(shape) for kind, shape in {
    "user": r"[^;=:,/@\[\]()]+$", "group": r"[^;=:,/@\[\]()]+$", "host": r"[\w.-]+$", "domain": r"[\w.-]+$", "resource": r"\w[\w-]*$",
    "job": r"[^;=]+$", "project": r"[^;=]+$",
    "queue": r"[\w.-]+$", "hook": r"[\w.-]+$", "scheduler": r"[^\s;=]+$", "partition": r"[^\s;=]+$"}.items()}
NUMBERED = {"job", "project", "account"}      # may be numbers; other things are not called so
AFTER_KEY = "(?:" + "|".join(f"(?<={key})" for key in (
    "Job_Name = ", "Job_Name=", "jobname=", "job name = ", "project = ", "project=", "Account_Name = ", "Account_Name=", 'account="')) + ")"
PREFIXES = {"user": "u", "group": "g", "host": "h", "domain": "d", "job": "j", "project": "p", "account": "a", "resource": "r",
            "value": "v", "queue": "q", "hook": "k", "scheduler": "s", "partition": "n", "path": "f", "address": "i"}


class Names:
    def __init__(self, file, completions=None):
        """`completions`: the tree's file for bash, in which all attributes, builtin resources and options stand."""
        self.ordinary = ORDINARY | words_of(completions)
        self.file, self.kinds, self.words = file, {}, {}
        self.given = set()       # what stands for something: is never a name itself
        try:
            with open(file, encoding="utf-8") as f:
                for kind, pairs in json.load(f).items():
                    for name, word in pairs.items():
                        self.given.add(word)
                        if self.may_be(kind, name):
                            self.kinds[name], self.words[name] = kind, word
        except FileNotFoundError:
            pass
        except (OSError, ValueError, AttributeError) as error:
            raise Trouble(f"{file}: not a map of names: {error}") from None

    def add(self, kind, name):
        name = name.strip()
        if name in self.words or name in self.given or not self.may_be(kind, name):
            return
        self.kinds[name], self.words[name] = kind, self.new_word(kind)

    @staticmethod
    def may_be(kind, name):
        if not name or name in KEPT or name.startswith("<") or OWN_QUEUE.match(name):
            return False
        if MOMENT.match(name) or (name.isdigit() and kind not in NUMBERED):
            return False
        return kind not in SHAPES or SHAPES[kind].match(name)

    def new_word(self, kind):
        while True:
            if kind == "address":
                word = "10." + ".".join(str(secrets.randbelow(254) + 1) for _ in range(3))
            else:
                word = PREFIXES[kind] + "".join(secrets.choice(LETTERS) for _ in range(WORD_LENGTH - 1))
            parts = {word[i:j] for i in range(len(word)) for j in range(i + 3, len(word) + 1)}
            if word not in self.given and not parts & self.words.keys():
                self.given.add(word)
                return word

    def save(self):
        """Whole or not at all, and for its owner only."""
        table = {}
        for name in sorted(self.words):
            table.setdefault(self.kinds[name], {})[name] = self.words[name]
        folder = os.path.dirname(os.path.abspath(self.file))
        handle, path = tempfile.mkstemp(prefix=".obfuscate.", dir=folder)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as f:
                json.dump(table, f, indent=1, sort_keys=True)
            os.rename(path, self.file)
        except OSError:
            os.unlink(path)
            raise

    def pattern(self):
        """One expression for all names: its match is a key of `words`."""
        classes = {"anywhere": [], "word": [], "part": [], "place": [], "key": []}
        for name in self.words:
            classes[self.where(name)].append(name)
        forms = []
        if classes["anywhere"]:
            forms.append(trie(classes["anywhere"]))
        if classes["word"]:
            forms.append(rf"(?<![A-Za-z0-9])(?:{trie(classes['word'])})(?![A-Za-z0-9])")
        if classes["part"]:
            forms.append(rf"(?<![\w-])(?:{trie(classes['part'])})(?![\w-])")
        if classes["place"]:
            of_place = trie(classes["place"])
            forms.append(rf"(?:(?<=@)|(?<=\d\.)|(?<=\]\.))(?:{of_place})(?![\w-])")         # root@server, 12.server
            forms.append(rf"(?:(?<=[(+=/,])|(?<== ))(?:{of_place})(?=$|[:/;,)+\s\[@|])")        # (batch:ncpus=1), queue = batch
            forms.append(rf"^(?:{of_place})(?=\s*$|:/)")
        if classes["key"]:
            forms.append(rf"{AFTER_KEY}(?:{trie(classes['key'])})(?![\w.-])")
        return re.compile("|".join(forms), re.MULTILINE) if forms else None

    def where(self, name):
        """Where it is replaced: anywhere, also inside of words; as a word; as a whole part of a path or text; in places of names only; a number
        only where its key says what it is."""
        if name.isdigit():
            return "key"
        if name in self.ordinary or len(name) == 1:
            return "place"
        if self.kinds[name] == "path":
            return "part"
        return "anywhere" if len(name) >= LONG else "word"


def words_of(file):
    try:
        with open(file, encoding="utf-8") as f:
            return set(re.findall(r"[A-Za-z_]\w*", f.read()))
    except (OSError, TypeError):
        return set()


def trie(names):
    """An expression that tries the longest first and each letter once: an alternative of 10 000 names is too slow for logs."""
    root = {}
    for name in names:
        at = root
        for letter in name:
            at = at.setdefault(letter, {})
        at[""] = {}

    def text(node):
        ends = "" in node
        branches = [re.escape(letter) + text(below) for letter, below in sorted(node.items()) if letter]
        if not branches:
            return ""
        whole = branches[0] if len(branches) == 1 and not ends else f"(?:{'|'.join(branches)})"
        return whole + "?" if ends else whole
    return text(root)
