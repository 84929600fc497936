"""The command line of pbs_minicluster."""
import argparse
import json
import os
import shlex
import sys

from .cluster import Cluster, describe
from .layout import Layout, Trouble

DESCRIPTION = "A whole PBS cluster on one machine, with hosts that can be killed, paused, unplugged and revived."
EPILOG = """HOST is a name given to `up`; `server` and `sched` mean those daemons, host:NAME always a host.
As root each host has namespaces of its own (hostname, mounts, processes, network); with --plain, or as an ordinary
user, hosts are processes on a loopback address. The man page pbs_minicluster(8) says more."""


def main(arguments):
    options = parser().parse_args(arguments)
    try:
        return options.run(options) or 0
    except Trouble as trouble:
        print(f"pbs_minicluster: {trouble}".rstrip("\n"), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130


def parser():
    top = argparse.ArgumentParser(prog="pbs_minicluster", description=DESCRIPTION, epilog=EPILOG,
                                  formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = top.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name, run, text):
        sub = commands.add_parser(name, help=text, description=text)
        sub.add_argument("--dir", required=True, metavar="D", help="the directory that holds the cluster")
        sub.set_defaults(run=run)
        return sub

    sub = command("up", up, "make a cluster in D and start it, or start again what is down; returns when every host is free")
    sub.add_argument("--hosts", metavar="A,B,...", help="the hosts that run jobs (a new cluster needs them)")
    sub.add_argument("--server", default="server", metavar="NAME", help="the server's host; also in --hosts: it runs jobs too")
    sub.add_argument("--plain", action="store_true", help="processes instead of namespaces")
    sub.add_argument("--exec", default=None, metavar="PREFIX", help="PBS_EXEC: default, where this program is installed")
    command("env", env, "print shell lines that make commands use this cluster: eval \"$(... env --dir D)\"")
    sub = command("status", status, "what runs")
    sub.add_argument("--json", action="store_true")
    sub.add_argument("target", nargs="?", metavar="HOST|server|sched")
    for name, action, text in (
            ("kill", lambda c, t: c.kill(t), "SIGKILL: of a daemon, or of all processes of a host, jobs too"),
            ("start", lambda c, t: c.start(t), "bring the same thing back from the same disk"),
            ("pause", lambda c, t: c.pause(t), "SIGSTOP: of a daemon, or of all processes of a host"),
            ("resume", lambda c, t: c.resume(t), "SIGCONT"),
            ("unplug", lambda c, t: c.set_link(t, False), "take the host's network link down"),
            ("plug", lambda c, t: c.set_link(t, True), "and up again")):
        sub = command(name, lambda o, a=action: change(o, a), text)
        sub.add_argument("target", metavar="HOST|server|sched")
    sub = command("exec", execute, "run a command in a host, as its users would")
    sub.add_argument("host", metavar="HOST")
    sub.add_argument("argv", nargs=argparse.REMAINDER, metavar="COMMAND")
    sub = command("down", down, "kill the whole cluster and remove it; nothing stays behind")
    sub.add_argument("--keep", action="store_true", help="keep the files: `up --dir D` starts it again")
    return top


def up(options):
    layout = Layout(options.dir)
    with layout.lock():
        hosts = [host for host in (options.hosts or "").split(",") if host]
        if not layout.exists():
            if not hosts:
                raise Trouble("a new cluster needs --hosts")
            plain = options.plain or os.geteuid() != 0
            describe(options.dir, options.server, hosts, prefix(options.exec), plain)
        else:
            follow_programs(layout, options.exec)
        cluster = Cluster(options.dir)
        if hosts and hosts != cluster.hosts:
            raise Trouble(f"there is a cluster in {layout.dir} already, with the hosts {','.join(cluster.hosts)}")
        try:
            cluster.up()
        except BaseException:
            cluster.down()      # nothing half-running; files and logs stay for a look
            print(f"pbs_minicluster: not up; its files are in {layout.dir}", file=sys.stderr)
            raise


def follow_programs(layout, given):
    """A cluster outlives the tree whose programs it ran: it uses those of this one then. While that tree is there it stays with it, and
    who calls from another tree is told."""
    info = layout.load()
    if os.path.exists(os.path.join(info["exec"], "sbin", "pbs_server")):
        if os.path.realpath(info["exec"]) != os.path.realpath(prefix(given)):
            print(f"pbs_minicluster: this cluster runs the programs in {info['exec']}; for those in {prefix(given)} take it `down` first",
                  file=sys.stderr)
        return
    gone, info["exec"] = info["exec"], prefix(given)
    layout.save(info)
    print(f"pbs_minicluster: the programs in {gone} are gone; the cluster uses those in {info['exec']}", file=sys.stderr)


def prefix(given):
    """PBS_EXEC: the directory above the one this program is in, as an absolute path."""
    found = os.path.abspath(given or os.path.join(os.path.dirname(os.path.realpath(sys.argv[0])), ".."))
    if not os.access(os.path.join(found, "sbin", "pbs_server"), os.X_OK):
        raise Trouble(f"no pbs_server in {found}/sbin: is that an installed tree?")
    return found


def env(options):
    cluster = Cluster(options.dir)
    prefix_dir = cluster.info["exec"]
    print(f"export PBS_CONF_FILE={shlex.quote(cluster.layout.client_conf)}")
    print(f"export PATH={shlex.quote(f'{prefix_dir}/bin:{prefix_dir}/sbin')}:$PATH")


def status(options):
    cluster = Cluster(options.dir)
    rows = cluster.status()
    if options.target:
        rows = [row for row in rows if row["name"] == options.target]
        if not rows:
            raise Trouble(f"no {options.target} in this cluster")
    if options.json:
        print(json.dumps(rows))
        return 0
    for row in rows:
        pid = f"pid {row['pid']}" if row["pid"] else ""
        link = f"link {row['link']}" if row["link"] != "-" else ""
        print(f"{row['name']:<20} {row['kind']:<10} {row['state']:<8} {pid:<12} {link}".rstrip())
    return 0


def change(options, action):
    layout = Layout(options.dir)
    layout.load()          # a wrong --dir makes no directory
    with layout.lock():
        action(Cluster(options.dir), options.target)


def execute(options):
    cluster = Cluster(options.dir)
    name = options.host.removeprefix("host:")
    name = cluster.server if name == "server" else name
    if name not in cluster.machines:
        raise Trouble(f"no host {name} in this cluster")
    argv = options.argv[1:] if options.argv[:1] == ["--"] else options.argv
    if not argv:
        raise Trouble("exec needs a command")
    machine = cluster.machines[name]
    os.environ.update(machine.environment())
    command = machine.inside(argv)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        raise Trouble(f"{command[0]}: {error.strerror}") from None


def down(options):
    layout = Layout(options.dir)
    if not layout.exists():
        return
    with layout.lock():
        Cluster(options.dir).down()
        if not options.keep:
            layout.remove()
