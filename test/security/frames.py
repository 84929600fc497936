"""Speaks the frames of server.sock, tm.sock and of daemons (docs/design/0003-links.md), to say what no command would.

The schema is the project's own: the program `capnp`, which building needs, makes messages of it and reads them.
"""
import json
import os
import shutil
import socket
import struct
import subprocess
import threading

SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "events", "schema")
CAPNP = shutil.which("capnp")
FILES = {"Request": "client", "Reply": "client", "TmRequest": "tm", "TmReply": "tm", "FromMom": "daemon/from_mom", "ToMom": "daemon/to_mom",
         "FromFollower": "daemon/feed", "ToFollower": "daemon/feed"}
ANSWER_S = 60


class Word(str):
    """The name of an enum's value, in a message."""


def text_of(value):
    """A value in Cap'n Proto's own text: dict is a struct, bytes are Data, str a Text whose surrogates are single bytes, None is Void."""
    if value is None:
        return "void"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Word):
        return str(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, bytes):
        return f'0x"{value.hex(" ")}"' if value else '""'
    if isinstance(value, str):
        return '"' + "".join(f"\\x{byte:02x}" for byte in value.encode(errors="surrogateescape")) + '"'
    if isinstance(value, dict):
        return "(" + ", ".join(f"{name} = {text_of(field)}" for name, field in value.items()) + ")"
    return "[" + ", ".join(map(text_of, value)) + "]"


def convert(how, kind, data):
    command = [CAPNP, "convert", how, os.path.join(SCHEMA, FILES[kind] + ".capnp"), kind]
    done = subprocess.run(command, input=data, capture_output=True)
    if done.returncode != 0:
        raise ValueError(f"{' '.join(command)}: {done.stderr.decode()}")
    return done.stdout


def message(kind, value):
    """The bytes of a whole message of this kind, such as Request."""
    return convert("text:binary", kind, text_of(value).encode())


def framed(body):
    return struct.pack("<I", len(body)) + body


class Caller:
    """A connection whose frames are what the test makes them."""

    def __init__(self, connected, sends, hears):
        self.socket, self.sends, self.hears = connected, sends, hears
        self.socket.settimeout(ANSWER_S)
        self.sending = threading.Lock()     # two threads that write to one TLS socket corrupt its memory
        self.read = b""

    @classmethod
    def unix(cls, path, sends="Request", hears="Reply"):
        connected = socket.socket(socket.AF_UNIX)
        connected.connect(path)
        return cls(connected, sends, hears)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        self.socket.close()

    def say(self, value):
        self.send(framed(message(self.sends, value)))

    def heartbeat(self):
        self.send(struct.pack("<I", 0))

    def send(self, data):
        with self.sending:
            self.socket.sendall(data)

    def bytes(self, count):
        while len(self.read) < count:
            piece = self.socket.recv(1 << 16)
            if not piece:
                raise EOFError("the peer has hung up")
            self.read += piece
        taken, self.read = self.read[:count], self.read[count:]
        return taken

    def hear(self):
        """The next message, as JSON has it; heartbeats are passed over. EOFError: there are no more."""
        while not (length := struct.unpack("<I", self.bytes(4))[0]):
            pass
        return json.loads(convert("binary:json", self.hears, self.bytes(length)).decode(errors="surrogateescape"))

    def ask(self, value):
        self.say(value)
        return self.hear()
