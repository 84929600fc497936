"""pbs_probe: what an installation should look like says `pbs_habitat --list`; here it is compared, printed and mended."""
import glob
import grp
import os
import pwd
import stat
import subprocess
import sys

from .installation import VARIABLES, Installation, Trouble

USAGE = """Usage: pbs_probe [ -fv ]
       pbs_probe --version
\tno option - run in 'report' mode
\t-f        - run in 'fix' mode
\t-v        - show hierarchy examined
\t--version - show version and exit
"""
SYSTEM_GROUPS_BELOW = 10      # group ids that no person is in
READABLE = 0o444


class Usage(Exception):
    pass


def main(arguments):
    try:
        fix, verbose, version = options(arguments)
    except Usage as wrong:
        print(f"pbs_probe: {wrong}\n{USAGE}" if str(wrong) else USAGE, end="", file=sys.stderr)
        return 1
    try:
        here = Installation()
        if version:
            print(f"pbs_version = {here.version()}")
            return 0
        return Probe(here, fix).run(verbose)
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 1


def options(arguments):
    """(fix, verbose, version), as PBS's getopt reads them: -c, of an inner use there, is the usage text."""
    if arguments == ["--version"]:
        return False, False, True
    letters = ""
    for argument in arguments:
        if argument[:1] != "-" or argument == "-":
            raise Usage("")
        for letter in argument[1:]:
            if letter not in "fvc":
                raise Usage(f"invalid option -- '{letter}'")
            letters += letter
    if "c" in letters:
        raise Usage("")
    return "f" in letters, "v" in letters, False


class Entry:
    """A path that pbs_habitat listed, and its kind there: dir, file, link."""

    def __init__(self, kind, mode, must, path, exact=True):
        self.kind, self.mode, self.must, self.path, self.exact = kind, mode, must, path, exact

    def wanted(self, now):
        """The mode it should have, having `now`."""
        return self.mode if self.exact else now & self.mode | READABLE

    def letters(self):
        kinds = {"dir": stat.S_IFDIR, "file": stat.S_IFREG, "link": stat.S_IFLNK}
        return stat.filemode(kinds[self.kind] | self.mode)


class Probe:
    def __init__(self, here, fix):
        self.here, self.fix, self.failed = here, fix, False
        self.parts = here.installed_parts()
        self.uid = os.geteuid()
        try:
            owner = os.stat(here.home).st_uid
        except OSError:
            owner = 0
        # PBS can be a person's own, as a mini-cluster is: he may look at it, and everything in it is his.
        if self.uid not in (0, owner):
            raise Trouble(f"User {name_of(self.uid)} not authorized to use pbs_probe")

    def run(self, verbose):
        home = self.listed([*self.parts, *(["node"] if "mom" in self.parts else [])])
        of_exec = [e for e in self.listed(["exec"]) if e.path.startswith(self.here.exec) and self.is_installed(e.path)]
        system()
        self.report("HOME", home)
        if self.fix:
            self.make_missing(home)
        daemons = [Entry("file", 0o755, True, path) for path in self.here.missing_daemons()]
        pages = [entry for entry in self.programs_of_pages() if entry.path not in {daemon.path for daemon in daemons}]
        self.report("EXEC", [*(entry for top in of_exec for entry in top.inside()), *pages, *daemons])
        if verbose:
            self.show(home, of_exec)
        return 1 if self.failed else 0

    def is_installed(self, folder):
        """Headers are of a package of their own, as their pages are."""
        return os.path.basename(folder) != "include" or os.path.isdir(folder) or self.has_page("*.3")

    def has_page(self, name):
        return bool(glob.glob(os.path.join(self.here.exec, "share", "man", f"man{name[-1]}", f"{name}*")))

    def listed(self, parts):
        program = os.path.join(self.here.exec, "libexec", "pbs_habitat")
        # It is of the package of hosts: where commands alone are, no daemon has a home.
        if not parts or not (os.path.exists(program) or self.has_page("pbs_habitat.8")):
            return []
        try:
            done = subprocess.run([program, "--list", *parts], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        except OSError as error:
            raise Trouble(f"pbs_probe: {program}: {error.strerror}: nothing says what the installation should look like") from None
        if done.returncode != 0:
            raise Trouble(f"pbs_probe: {done.stderr.strip()}")
        entries = {}
        for line in done.stdout.splitlines():
            kind, mode, need, path = line.split(" ", 3)
            if kind in ("programs", "tree"):
                entries[path] = Folder(path, int(mode, 8), exact=kind == "programs")
            else:
                entries[path] = Entry(kind, int(mode, 8), need == "must", path)
        return list(entries.values())

    def programs_of_pages(self):
        """Each page of the manual's sections 1 and 8 is of a program of its name."""
        for section, folder in (("1", "bin"), ("8", "sbin")):
            for page in sorted(glob.glob(os.path.join(self.here.exec, "share", "man", f"man{section}", f"*.{section}*"))):
                name = os.path.basename(page).partition(f".{section}")[0]
                if self.here.program(name) is None:
                    yield Entry("file", 0o755, True, os.path.join(self.here.exec, folder, name))

    # ---- what is wrong

    def report(self, name, entries):
        wrong, missing = [], []
        for entry in entries:
            try:
                problem = self.problem(entry)
            except FileNotFoundError as error:
                if entry.must:
                    missing.append(f"{entry.path}, {error.strerror}")
                continue
            except OSError as error:
                missing.append(f"{entry.path}, {error.strerror}")
                continue
            if problem:
                wrong.append(problem)
        if not wrong and not missing:
            return
        print(f"\n\n====== Problems in PBS {name} Hierarchy =======")
        if wrong:
            print("\nPermission/Ownership Problems:")
            for text in wrong:
                print(f"\n{text}")
        if missing:
            print("Real Path Problems:" if wrong else "\nReal Path Problems:")
            print("\n\n".join(missing))

    def problem(self, entry):
        """What to print of it; with -f it is mended."""
        if entry.kind == "link":
            os.stat(entry.path)
            return None
        found = os.stat(entry.path)
        if stat.S_ISDIR(found.st_mode) != (entry.kind == "dir"):
            return f"{entry.path}\n({stat.filemode(found.st_mode)}) needs to be a {'directory' if entry.kind == 'dir' else 'file'}"
        mode = stat.S_IMODE(found.st_mode)
        owner_wrong = found.st_uid not in (0, self.uid)
        group_wrong = self.uid == 0 and found.st_gid >= SYSTEM_GROUPS_BELOW
        if mode == entry.wanted(mode) and not owner_wrong and not group_wrong:
            return None
        has = f"{stat.filemode(found.st_mode)} , {name_of(found.st_uid)} , {group_of(found.st_gid)}"
        wanted = stat.filemode(stat.S_IFMT(found.st_mode) | entry.wanted(mode))
        text = f"{entry.path}\n({has}) needs to be ({wanted} , {self.owners()})"
        return text + self.mend(entry, mode, owner_wrong or group_wrong) if self.fix else text

    def owners(self):
        return f"root, group id < {SYSTEM_GROUPS_BELOW}" if self.uid == 0 else f"{name_of(self.uid)} or root"

    def mend(self, entry, mode, owner_wrong):
        inside = next((os.path.relpath(entry.path, top) for top in (self.here.exec, self.here.home, self.here.mom_home)
                       if entry.path.startswith(top + "/")), entry.path)
        said = ""
        try:
            if owner_wrong:
                os.chown(entry.path, self.uid, 0 if self.uid == 0 else -1)
                said += f"\n{inside}: corrected ownership"
            if mode != entry.wanted(mode) or owner_wrong:      # chown may take bits away
                os.chmod(entry.path, entry.wanted(mode))
            if mode != entry.wanted(mode):
                said += f"\n{inside}: corrected permissions"
        except OSError as error:
            self.failed = True
            said += f"\n{inside}: not corrected: {error.strerror}"
        return said

    def make_missing(self, entries):
        """What is missing is made as a start makes it, which refuses to where a home is not mounted."""
        missing = [e.path for e in entries if e.must and not os.path.exists(e.path)]
        if not missing:
            return
        done = subprocess.run([os.path.join(self.here.exec, "libexec", "pbs_habitat"), "--start", *self.parts], capture_output=True,
                              text=True, stdin=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            self.failed = True
            print(done.stderr.rstrip("\n"), file=sys.stderr)
        for path in missing:
            if os.path.exists(path):
                print(f"\n{path}: made")

    # ---- -v

    def show(self, home, of_exec):
        print("\n\n\n=== Primary variables and specific hierarchies checked by pbs_probe ===\n\n\nPbs_probe's Primary variables:\n")
        print(f"PBS_CONF_FILE: {self.here.conf_file}")
        values = {"PBS_HOME": self.here.home, "PBS_EXEC": self.here.exec}
        for key in VARIABLES:
            print(f"{key}: {values.get(key) or self.here.value(key, '0')}")
        print("\n\n=== PBS HOME Infrastructure ===\n")
        for entry in home:
            self.line(entry, os.path.relpath(entry.path, self.here.home))
        print("\n\n=== PBS EXEC Infrastructure ===")
        for top in of_exec:
            print(f"\nHierarchy {os.path.relpath(top.path, self.here.exec)}:\n")
            for entry in top.inside():
                self.line(entry, os.path.relpath(entry.path, self.here.exec))

    def line(self, entry, name):
        print(f"{name:<70}({entry.letters()}, {self.owners()})")


class Folder:
    """A directory of PBS_EXEC with all that is in it: of programs each has the mode; elsewhere a file may have less of it."""

    def __init__(self, path, mode, exact):
        self.path, self.mode, self.exact = path, mode, exact

    def inside(self):
        yield Entry("dir", self.mode, True, self.path)
        for folder, folders, names in os.walk(self.path):
            for name in sorted(folders):
                yield Entry("dir", self.mode, True, os.path.join(folder, name))
            for name in sorted(names):
                path = os.path.join(folder, name)
                if not os.path.islink(path):
                    yield Entry("file", self.mode, True, path, exact=self.exact)


def system():
    name = os.uname()
    print("\n\n====== System Information =======\n\n")
    for key in ("sysname", "nodename", "release", "version", "machine"):
        print(f"{key}={getattr(name, key)}")


def name_of(uid):
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def group_of(gid):
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
