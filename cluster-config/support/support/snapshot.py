"""The command line of pbs_snapshot."""
import argparse
import contextlib
import os
import secrets
import shutil
import signal
import sys
import tempfile
import time

from . import names, obfuscate, tarball
from .collect import Collector, Log
from .installation import Installation, Trouble

DESCRIPTION = "Packs what support needs of this host's PBS into one file: what commands print, configuration, logs, accounting, the system."
DAEMON_DAYS, ACCOUNTING_DAYS = 5, 30
DAYS_MAX = 36500
# Of PBS's database, which there is none of here.
REFUSED = {"-d": "there are no PBS diag directories", "--diag": "there are no PBS diag directories",
           "--datastore": "there is no database: the event log takes its place, and pbs_audit reads it",
           "--db-dump": "there is no database: the event log takes its place, and pbs_audit reads it"}


def main(arguments):
    for argument in arguments:
        if argument.partition("=")[0] in REFUSED:
            parser().error(f"{argument.partition('=')[0]}: {REFUSED[argument.partition('=')[0]]}")
    options = parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))      # what is half made goes
    try:
        here = Installation()
        if options.version:
            print(f"pbs_version = {here.version()}")
            return 0
        check(options)
        take(options, here)
        return 0
    except Trouble as trouble:
        print(f"pbs_snapshot: {trouble}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"pbs_snapshot: {error.filename or 'output'}: {error.strerror}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser():
    p = argparse.ArgumentParser(prog="pbs_snapshot", description=DESCRIPTION, allow_abbrev=False)
    p.add_argument("-o", dest="output", metavar="directory", help="where the snapshot goes; -: to standard output")
    p.add_argument("--accounting-logs", type=days, default=ACCOUNTING_DAYS, metavar="days",
                   help=f"how many days of accounting (default {ACCOUNTING_DAYS})")
    p.add_argument("--daemon-logs", type=days, default=DAEMON_DAYS, metavar="days",
                   help=f"how many days of daemons' logs (default {DAEMON_DAYS})")
    p.add_argument("--basic", action="store_true", help="only configuration and state: no logs, no accounting, nothing of the system")
    p.add_argument("-H", dest="server_host", type=host_name, metavar="host", help="take the snapshot on this host, over ssh")
    p.add_argument("--additional-hosts", type=host_names, default=[], metavar="hosts", help="snapshots of these hosts too, over ssh: a,b,...")
    p.add_argument("--with-sudo", action="store_true", help="an ordinary user: read by sudo what only root may read")
    p.add_argument("--obfuscate", action="store_true", help="replace the names of users, groups, hosts, jobs, paths and what else is the site's")
    p.add_argument("--map", metavar="file", help="which name became which: made or extended (default: obfuscate.map in the output directory)")
    p.add_argument("-l", dest="level", type=str.upper, choices=Log.LEVELS, default="WARNING", metavar="level",
                   help="print from this level on: DEBUG2 DEBUG INFOCLI2 INFOCLI INFO WARNING ERROR FATAL")
    p.add_argument("--version", action="store_true", help="print the version")
    return p


def days(text):
    if not text.isdigit() or int(text) > DAYS_MAX:
        raise argparse.ArgumentTypeError(f"not a number of days: {text!r}")
    return int(text)


def host_name(text):
    if not text or text.startswith("-") or not all(c.isalnum() or c in ".-_:" for c in text):
        raise argparse.ArgumentTypeError(f"not the name of a host: {text!r}")
    return text


def host_names(text):
    return [host_name(name) for name in text.split(",")]


def check(options):
    """What the option table can't say."""
    if options.output is None:
        parser().error("-o is needed: the directory where the snapshot goes")
    if options.map is not None and not options.obfuscate:
        parser().error("--map goes with --obfuscate")
    if options.output == "-":
        if options.obfuscate and options.map is None:
            parser().error("-o - with --obfuscate needs --map")
        if sys.stdout.isatty():
            raise Trouble("a snapshot is not printed at a terminal")
        return
    if not os.path.isdir(options.output):
        raise Trouble(f"{options.output}: there is no such directory")
    if not os.access(options.output, os.W_OK | os.X_OK):
        raise Trouble(f"{options.output}: can't write there")


def take(options, here):
    log = Log(options.level)
    prints = options.output == "-"
    moment = time.strftime("%Y%m%d_%H%M%S")
    # Beside the output, which is where there is room; nobody else looks into it.
    work = tempfile.mkdtemp(prefix=".pbs_snapshot.", dir=None if prints else options.output)
    try:
        folder = os.path.join(work, "snapshot")
        os.mkdir(folder)
        gather(options, here, folder, log)
        with open(os.path.join(folder, "pbs_snapshot.log"), "a", encoding="utf-8") as f:
            f.writelines(line + "\n" for line in log.lines)
        if options.obfuscate:
            file = options.map or os.path.join(options.output, "obfuscate.map")
            map = names.Names(file, os.path.join(here.exec, "share", "bash-completion", "completions", "annals.bash"))
            obfuscate.hide(folder, map)
            map.save()
        top = f"snapshot_{moment}"
        if prints:
            tarball.pack(folder, top, sys.stdout.buffer)
            return
        with open(os.path.join(work, "tgz"), "wb") as out:      # mkdtemp's directory is closed to others, and so is the file
            os.fchmod(out.fileno(), 0o600)
            tarball.pack(folder, top, out)
        path = free_name(os.path.join(options.output, top))
        os.rename(out.name, path)
        print(f"Snapshot available at: {os.path.abspath(path)}")
        if options.obfuscate:
            print(f"Map of the names, for you and not for support: {os.path.abspath(file)}")
    finally:
        shutil.rmtree(work, ignore_errors=True)


def free_name(stem):
    """Nobody else gets it: an empty file takes it. Two snapshots of one second have different names."""
    path = f"{stem}.tgz"
    while True:
        try:
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            return path
        except FileExistsError:
            path = f"{stem}_{secrets.token_hex(2)}.tgz"


def gather(options, here, folder, log):
    asked = ["-o", "-", f"--accounting-logs={options.accounting_logs}", f"--daemon-logs={options.daemon_logs}"]
    asked += ["--basic"] if options.basic else []
    if options.server_host is not None and options.server_host not in (here.host, os.uname().nodename, "localhost"):
        tarball.fetch(tarball.over_ssh(options.server_host, options.with_sudo, asked), folder, log, options.server_host)
    elif options.with_sudo and os.geteuid() != 0:
        tarball.fetch(tarball.by_sudo(here, asked), folder, log, "this host")
    else:
        Collector(here, folder, log, options.daemon_logs, options.accounting_logs, options.basic).run()
    for host in options.additional_hosts:
        into = os.path.join(folder, f"{host}_snapshot")
        try:
            tarball.fetch(tarball.over_ssh(host, options.with_sudo, asked), into, log, host)
        except Trouble as trouble:        # the others are worth having without it
            log.lacks(f"{host}_snapshot is missing: {trouble}")
            with contextlib.suppress(OSError):
                shutil.rmtree(into)
