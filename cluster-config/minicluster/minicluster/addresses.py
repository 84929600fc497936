"""Addresses and ports of a plain cluster, chosen so that clusters side by side don't meet."""
import errno
import random
import socket

from .layout import Trouble

# Below the range from which the kernel gives ports to outgoing connections (32768 and up), above the well-known ones.
PORT_MIN, PORT_MAX = 10000, 32000
TRIES = 200


def choose():
    """A loopback network 127.x.y that nobody listens on, and a port that is free there and everywhere else: the server's;
    the next one, free too, is that of the MoMs, each at its own address."""
    for _ in range(TRIES):
        net = f"127.{random.randint(1, 254)}.{random.randint(1, 254)}"
        port = random.randint(PORT_MIN, PORT_MAX)
        if all(free(host, port + more) for host in (f"{net}.1", "0.0.0.0") for more in (0, 1)):
            return net, port
    raise Trouble("found no free port on any loopback address")


def free(host, port):
    with socket.socket() as s:
        try:
            s.bind((host, port))
        except OSError as error:
            if error.errno in (errno.EADDRINUSE, errno.EACCES):
                return False
            raise Trouble(f"can't use {host}: {error.strerror}") from None
    return True
