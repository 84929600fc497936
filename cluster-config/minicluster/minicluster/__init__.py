"""pbs_minicluster: a whole PBS cluster on one machine.

layout      where everything of a cluster lies below its directory
procs       processes of this machine: who is who, and signals to all of a host's
cgroups     what a killed host leaves there
machine     what a host can do; namespaced and plain are its two kinds
cluster     the cluster: up, down, kill, start, pause, unplug
cli         the command line
"""
