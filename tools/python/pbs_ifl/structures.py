"""The structures of pbs_ifl.h: as C has them, to talk to the library, and as Python has them, to talk to a program.

A program never sees memory of the library: what a call returns is copied, and freed at once.
"""
import ctypes
import os

from .constants import SET


# ---- in C ----------------------------------------------------------------------------------------------------------------

class CAttr(ctypes.Structure):
    """attrl and attropl, which have the same members."""


CAttr._fields_ = [("next", ctypes.POINTER(CAttr)), ("name", ctypes.c_char_p), ("resource", ctypes.c_char_p), ("value", ctypes.c_char_p),
                  ("op", ctypes.c_int)]


class CStatus(ctypes.Structure):
    pass


CStatus._fields_ = [("next", ctypes.POINTER(CStatus)), ("name", ctypes.c_char_p), ("attribs", ctypes.POINTER(CAttr)), ("text", ctypes.c_char_p)]


class CDeleted(ctypes.Structure):
    pass


CDeleted._fields_ = [("next", ctypes.POINTER(CDeleted)), ("name", ctypes.c_char_p), ("code", ctypes.c_int)]


class CAttrError(ctypes.Structure):
    _fields_ = [("attribute", ctypes.POINTER(CAttr)), ("code", ctypes.c_int), ("text", ctypes.c_char_p)]


class CAttrErrors(ctypes.Structure):
    _fields_ = [("count", ctypes.c_int), ("errors", ctypes.POINTER(CAttrError))]


# ---- in Python -----------------------------------------------------------------------------------------------------------

class _Chained:
    """An element of a list: iterating over it gives it and all behind it."""
    next = None

    def __iter__(self):
        at = self
        while at is not None:
            yield at
            at = at.next

    def __repr__(self):
        return f"{type(self).__name__}({', '.join(f'{k}={v!r}' for k, v in vars(self).items() if k != 'next')})"


class attrl(_Chained):
    def __init__(self, name=None, value=None, resource=None, op=SET, next=None):
        self.name, self.resource, self.value, self.op, self.next = name, resource, value, op, next


class attropl(attrl):
    pass


class batch_status(_Chained):
    def __init__(self, name=None, attribs=None, text=None, next=None):
        self.name, self.attribs, self.text, self.next = name, attribs, text, next


class batch_deljob_status(_Chained):
    def __init__(self, name=None, code=0, next=None):
        self.name, self.code, self.next = name, code, next


class ecl_attrerr:
    def __init__(self, ecl_attribute, ecl_errcode, ecl_errmsg):
        self.ecl_attribute, self.ecl_errcode, self.ecl_errmsg = ecl_attribute, ecl_errcode, ecl_errmsg


class ecl_attribute_errors:
    """ecl_attrerr is a list of ecl_numerrors."""

    def __init__(self, errors):
        self.ecl_numerrors, self.ecl_attrerr = len(errors), errors


# ---- from the one to the other -------------------------------------------------------------------------------------------

def to_text(data):
    return None if data is None else os.fsdecode(data)


def to_bytes(text):
    return None if text is None else os.fsencode(text)


def _elements(pointer):
    while pointer:
        yield pointer.contents
        pointer = pointer.contents.next


def _chain(elements):
    """The first of them, each with the one behind it in `next`; None: there are none."""
    first = None
    for element in reversed(list(elements)):
        element.next = first
        first = element
    return first


def attributes_to_c(first):
    """A pointer to the list in C, which lives as long as the pointer."""
    made = [CAttr(None, to_bytes(a.name), to_bytes(a.resource), to_bytes(a.value), a.op or SET) for a in first or ()]
    for one, behind in zip(made, made[1:]):
        one.next = ctypes.pointer(behind)
    return ctypes.pointer(made[0]) if made else None


def attributes_to_python(pointer, kind=attrl):
    return _chain(kind(to_text(a.name), to_text(a.value), to_text(a.resource), a.op) for a in _elements(pointer))


def status_to_python(pointer):
    return _chain(batch_status(to_text(s.name), attributes_to_python(s.attribs), to_text(s.text)) for s in _elements(pointer))


def deleted_to_python(pointer):
    return _chain(batch_deljob_status(to_text(d.name), d.code) for d in _elements(pointer))


def errors_to_python(pointer):
    if not pointer:
        return None
    of = pointer.contents
    return ecl_attribute_errors([ecl_attrerr(attributes_to_python(e.attribute, attropl), e.code, to_text(e.text))
                                 for e in of.errors[:of.count]])
