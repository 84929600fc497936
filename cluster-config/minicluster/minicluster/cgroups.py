"""What a host that is killed leaves in the cgroups of this machine: with a real one they would be gone (docs/design/0026).

A MoM's directory is named by its host and its home, as in actors/mom/host/run_cgroups.cpp.
"""
import glob
import os
import time

DEADLINE_S = 10     # a killed process is in its cgroup until the kernel has seen to it


def directories(host, home):
    """Of this host's MoM, in every hierarchy."""
    try:
        st = os.stat(home)
    except OSError:
        return []
    hashed = 2166136261
    for byte in f"{home} {st.st_dev} {st.st_ino}".encode():
        hashed = ((hashed ^ byte) * 16777619) & 0xffffffff
    name = os.path.join("annals", f"{host}-{hashed:08x}")
    return [path for root in ("/sys/fs/cgroup", *glob.glob("/sys/fs/cgroup/*/")) if os.path.isdir(path := os.path.join(root, name))]


def thaw(host, home):
    """A frozen process of version 1 does not die."""
    for directory in directories(host, home):
        for state in glob.glob(os.path.join(directory, "*", "*", "freezer.state")):
            write(state, "THAWED")


def remove(host, home):
    deadline = time.monotonic() + DEADLINE_S
    while (left := [d for d in directories(host, home) if not remove_tree(d)]) and time.monotonic() < deadline:
        time.sleep(0.01)
    return not left


def remove_tree(top):
    for directory, _, _ in os.walk(top, topdown=False):
        try:
            os.rmdir(directory)
        except FileNotFoundError:
            pass
        except OSError:
            return False
    try:
        os.rmdir(os.path.dirname(top))      # the last MoM's
    except OSError:
        pass
    return True


def write(path, text):
    try:
        with open(path, "w") as f:
            f.write(text)
    except OSError:
        pass
