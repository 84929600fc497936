"""Snapshots as tar files: written so that they tell nothing of who made them, read so that they can't reach outside their directory."""
import os
import subprocess
import tarfile
import tempfile
import zlib

from .installation import Trouble

CONNECT_LIMIT_S = 30
# Finds the program by the other host's pbs.conf.
REMOTE = ('conf=${PBS_CONF_FILE:-/etc/pbs.conf}; top=$(sed -n "s/^ *PBS_EXEC *= *//p" "$conf" | tail -n 1); '
          'exec %s"${top:-/opt/pbs}"/sbin/pbs_snapshot %s')


def pack(folder, top, out):
    """All of `folder` as the directory `top` into the stream."""
    def plain(member):
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        return member
    with tarfile.open(fileobj=out, mode="w|gz", format=tarfile.PAX_FORMAT) as tar:
        tar.add(folder, arcname=top, filter=plain)


def unpack(stream, into):
    """What is below the one directory of the tar file. Only files and directories, whatever the other side sends."""
    count = 0
    with tarfile.open(fileobj=stream, mode="r|gz") as tar:
        for member in tar:
            parts = member.name.split("/")[1:]
            if not parts or not member.isfile():
                continue
            if any(part in ("", ".", "..") for part in parts):
                raise Trouble(f"a path that can't be: {member.name!r}")
            path = os.path.join(into, *parts)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as out:
                source = tar.extractfile(member)
                while block := source.read(1 << 20):
                    out.write(block)
            count += 1
    return count


def fetch(command, into, log, what):
    """Runs a pbs_snapshot that prints a snapshot, and unpacks that. Trouble when there is none."""
    try:
        with (tempfile.TemporaryFile() as said,          # a pipe could fill up while the other one is read
              subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=said) as child):
            try:
                count = unpack(child.stdout, into)
            except (tarfile.TarError, zlib.error, EOFError, OSError) as error:
                child.stdout.close()
                child.wait()
                said.seek(0)
                raise Trouble(f"no snapshot of {what}: {said.read().decode(errors='replace').strip() or error}") from None
            child.stdout.close()
    except OSError as error:
        raise Trouble(f"no snapshot of {what}: {command[0]}: {error.strerror}") from None
    if child.returncode != 0 or count == 0:
        raise Trouble(f"no snapshot of {what}: exit status {child.returncode}")
    log.took(f"{what}: {count} files")


def over_ssh(host, sudo, arguments):
    options = ["-o", "BatchMode=yes", "-o", f"ConnectTimeout={CONNECT_LIMIT_S}"]
    return ["ssh", *options, "--", host, REMOTE % ("sudo -n " if sudo else "", " ".join(arguments))]


def by_sudo(here, arguments):
    keys = [f"{key}={os.environ[key]}" for key in ("PBS_CONF_FILE", "PBS_HOME", "PBS_MOM_HOME") if os.environ.get(key)]
    return ["sudo", "-n", "env", *keys, os.path.join(here.exec, "sbin", "pbs_snapshot"), *arguments]
