"""Compares what this PBS prints with what another one printed: transcripts in data/, states they were taken in in scenes/.

transcript   reads the transcripts
normal       takes out of a text what can't be the same twice: times, process ids, sizes of the machine
scene        brings a cluster into the state in which a transcript was taken
world        the machine the cluster runs on: namespaces with the transcript's host name, users and paths
sleepers     jobs that sleep until a step of the scene lets them end
cycles       what a scheduling cycle did, below a command
records      the accounting records below a command
mails        the messages below a command
placement    the other kind of transcript: one job a case, and where it was placed
report       which blocks pass, which may fail, and what differs
"""
