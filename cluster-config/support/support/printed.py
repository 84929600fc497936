"""What these programs print has no character that steers a terminal, turns or hides text. events/values/shown_text.hpp has the list and the
forms: ^A, M-^A, <U+202E>."""
import re
import sys

UNSHOWN = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufeff\ufff9-\ufffb"
                     "\U000e0000-\U000e007f\udc80-\udc9f]")


def form(match):
    code = ord(match[0])
    if 0xdc80 <= code <= 0xdc9f:      # a byte alone, as Python has one that is not UTF-8
        code -= 0xdc00
    if code < 0x80:
        return "^" + chr(code ^ 0x40)
    return "M-^" + chr(code ^ 0xc0) if code < 0xa0 else f"<U+{code:04X}>"


def shown(text):
    return UNSHOWN.sub(form, text)


class Shown:
    """A stream that shows what is written to it."""

    def __init__(self, stream):
        self.stream = stream

    def write(self, text):
        return self.stream.write(shown(text))

    def __getattr__(self, name):
        return getattr(self.stream, name)


def guard():
    sys.stdout, sys.stderr = Shown(sys.stdout), Shown(sys.stderr)
