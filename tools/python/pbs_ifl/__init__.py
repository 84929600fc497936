"""The C interface of PBS in Python, by libpbs: the calls, structures and constants of pbs_ifl.h and pbs_error.h by their names.

Texts are str or None, lists of attributes attrl or attropl objects that `next` links; a call that returns null in C returns None.
What calls return belongs to Python: nothing has to be freed, and pbs_statfree and pbs_delstatfree, which programs call, do nothing.
pbs_ifl.pbs_errno and pbs_ifl.pbs_server are the calling thread's. docs/howto/c-api.md says what each call does.
"""
import ctypes
import os

from . import constants as _constants
from .constants import *  # noqa: F401,F403  they are the module's
from .structures import (CAttr, CAttrErrors, CDeleted, CStatus, attributes_to_c, attrl, attropl, batch_deljob_status,
                         batch_status, deleted_to_python, ecl_attrerr, ecl_attribute_errors, errors_to_python, status_to_python, to_bytes,
                         to_text)

# This file is in lib/python/pbs_ifl of what is installed, the library in lib.
_library = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "libpbs.so.0"))
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None


# ---- kinds of arguments: what C takes, and how it is made of what a program gives ----------------------------------------

class _Text:
    c, of = ctypes.c_char_p, staticmethod(to_bytes)


class _Number:
    c, of = ctypes.c_int, staticmethod(int)


class _Long:
    c, of = ctypes.c_ulong, staticmethod(int)


class _Attributes:
    c, of = ctypes.POINTER(CAttr), staticmethod(attributes_to_c)


class _Texts:
    c = ctypes.POINTER(ctypes.c_char_p)

    @staticmethod
    def of(texts):
        return (ctypes.c_char_p * (len(texts or ()) + 1))(*[to_bytes(t) for t in texts or ()], None)


# ---- kinds of answers: what C returns, and what is made of it ------------------------------------------------------------

class _Int:
    c, of = ctypes.c_int, staticmethod(int)


class _LentText:
    c, of = ctypes.c_char_p, staticmethod(to_text)


class _Errors:
    c, of = ctypes.POINTER(CAttrErrors), staticmethod(errors_to_python)


class _OwnText:
    c = ctypes.c_void_p

    @staticmethod
    def of(address):
        try:
            return to_text(ctypes.string_at(address)) if address else None
        finally:
            _free(address)


class _OwnTexts:
    c = ctypes.POINTER(ctypes.c_char_p)

    @staticmethod
    def of(pointer):
        if not pointer:
            return None
        texts = []
        while pointer[len(texts)] is not None:
            texts.append(pointer[len(texts)])
        texts = [to_text(t) for t in texts]
        _free(pointer)
        return texts


class _Status:
    c = ctypes.POINTER(CStatus)

    @staticmethod
    def of(pointer):
        try:
            return status_to_python(pointer)
        finally:
            _library.pbs_statfree(pointer)


class _Deleted:
    c = ctypes.POINTER(CDeleted)

    @staticmethod
    def of(pointer):
        try:
            return deleted_to_python(pointer)
        finally:
            _library.pbs_delstatfree(pointer)


_library.pbs_statfree.argtypes, _library.pbs_statfree.restype = [_Status.c], None
_library.pbs_delstatfree.argtypes, _library.pbs_delstatfree.restype = [_Deleted.c], None


# ---- the calls -----------------------------------------------------------------------------------------------------------

def _call(name, answer, arguments):
    """The call of this name; `extend` may be left out."""
    function = getattr(_library, name)
    function.restype = answer.c
    function.argtypes = [kind.c for _, kind in arguments]
    names = [word for word, _ in arguments]
    least = len(names) - (names[-1:] == ["extend"])

    def call(*given):
        if not least <= len(given) <= len(names):
            raise TypeError(f"{name}({', '.join(names)}): {len(given)} arguments")
        given += (None,) * (len(names) - len(given))
        return answer.of(function(*[kind.of(value) for (_, kind), value in zip(arguments, given)]))

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{name}({', '.join(names)}), of pbs_ifl.h."
    return call


_CONNECTION, _EXTEND, _JOB = ("connect", _Number), ("extend", _Text), ("job", _Text)
_STAT = [_CONNECTION, ("id", _Text), ("attributes", _Attributes), _EXTEND]
_STAT_ALL = [_CONNECTION, ("attributes", _Attributes), _EXTEND]
_CALLS = {
    "pbs_connect": (_Int, [("server", _Text)]),
    "pbs_connect_extend": (_Int, [("server", _Text), ("extend_data", _Text)]),
    "pbs_query_max_connections": (_Int, []),
    "pbs_disconnect": (_Int, [_CONNECTION]),
    "pbs_default": (_LentText, []),
    "pbs_geterrmsg": (_LentText, [_CONNECTION]),
    "pbs_get_attribute_errors": (_Errors, [_CONNECTION]),
    "pbse_to_txt": (_LentText, [("number", _Number)]),
    "pbs_submit": (_OwnText, [_CONNECTION, ("attributes", _Attributes), ("script", _Text), ("destination", _Text), _EXTEND]),
    "pbs_alterjob": (_Int, [_CONNECTION, _JOB, ("attributes", _Attributes), _EXTEND]),
    "pbs_asyalterjob": (_Int, [_CONNECTION, _JOB, ("attributes", _Attributes), _EXTEND]),
    "pbs_locjob": (_OwnText, [_CONNECTION, _JOB, _EXTEND]),
    "pbs_deljob": (_Int, [_CONNECTION, _JOB, _EXTEND]),
    "pbs_deljoblist": (_Deleted, [_CONNECTION, ("jobids", _Texts), ("numjobs", _Number), _EXTEND]),
    "pbs_holdjob": (_Int, [_CONNECTION, _JOB, ("holds", _Text), _EXTEND]),
    "pbs_rlsjob": (_Int, [_CONNECTION, _JOB, ("holds", _Text), _EXTEND]),
    "pbs_runjob": (_Int, [_CONNECTION, _JOB, ("location", _Text), _EXTEND]),
    "pbs_asyrunjob": (_Int, [_CONNECTION, _JOB, ("location", _Text), _EXTEND]),
    "pbs_rerunjob": (_Int, [_CONNECTION, _JOB, _EXTEND]),
    "pbs_movejob": (_Int, [_CONNECTION, _JOB, ("destination", _Text), _EXTEND]),
    "pbs_sigjob": (_Int, [_CONNECTION, _JOB, ("signal", _Text), _EXTEND]),
    "pbs_msgjob": (_Int, [_CONNECTION, _JOB, ("file", _Number), ("message", _Text), _EXTEND]),
    "pbs_relnodesjob": (_Int, [_CONNECTION, _JOB, ("nodes", _Text), _EXTEND]),
    "pbs_orderjob": (_Int, [_CONNECTION, ("job1", _Text), ("job2", _Text), _EXTEND]),
    "pbs_selectjob": (_OwnTexts, [_CONNECTION, ("criteria", _Attributes), _EXTEND]),
    "pbs_selstat": (_Status, [_CONNECTION, ("criteria", _Attributes), ("attributes", _Attributes), _EXTEND]),
    "pbs_statserver": (_Status, _STAT_ALL),
    "pbs_statsched": (_Status, _STAT_ALL),
    **{f"pbs_stat{what}": (_Status, _STAT) for what in ("job", "que", "host", "node", "vnode", "rsc", "hook", "resv")},
    "pbs_submit_resv": (_OwnText, [_CONNECTION, ("attributes", _Attributes), _EXTEND]),
    "pbs_modify_resv": (_OwnText, [_CONNECTION, ("reservation", _Text), ("attributes", _Attributes), _EXTEND]),
    "pbs_delresv": (_Int, [_CONNECTION, ("reservation", _Text), _EXTEND]),
    "pbs_confirmresv": (_Int, [_CONNECTION, ("reservation", _Text), ("location", _Text), ("start", _Long), _EXTEND]),
    "pbs_stagein": (_Int, [_CONNECTION, _JOB, ("location", _Text), _EXTEND]),
    "pbs_rescrelease": (_Int, [_CONNECTION, ("reservation", _Number)]),
    "pbs_manager": (_Int, [_CONNECTION, ("command", _Number), ("object", _Number), ("name", _Text), ("attributes", _Attributes), _EXTEND]),
    "pbs_terminate": (_Int, [_CONNECTION, ("manner", _Number), _EXTEND]),
}
globals().update({name: _call(name, *how) for name, how in _CALLS.items()})


def pbs_rescquery(connect, names):
    """(0 or the error number, available, allocated, reserved, down): in place of the four arrays lists, which are None when it fails."""
    arrays = [(ctypes.c_int * len(names))() for _ in range(4)]
    error = _library.pbs_rescquery(int(connect), _Texts.of(names), len(names), *arrays)
    return (error, *[None if error else list(numbers) for numbers in arrays])


def pbs_rescreserve(connect, names):
    """(the error number, None): there is no reservation of this kind."""
    reservation = ctypes.c_int()
    return _library.pbs_rescreserve(int(connect), _Texts.of(names), len(names), ctypes.byref(reservation)), None


_library.pbs_preempt_jobs.restype = ctypes.c_void_p


def pbs_preempt_jobs(connect, jobids):
    """None, with pbs_errno."""
    return _library.pbs_preempt_jobs(int(connect), _Texts.of(jobids))


def pbs_statfree(status):
    """Nothing: what calls return belongs to Python."""


def pbs_delstatfree(status):
    """Nothing: what calls return belongs to Python."""


_errno_location = getattr(_library, "__pbs_errno_location")
_server_location = getattr(_library, "__pbs_server_location")
_errno_location.restype, _server_location.restype = ctypes.POINTER(ctypes.c_int), ctypes.POINTER(ctypes.c_char_p)


def __getattr__(name):
    """pbs_errno and pbs_server, which are another's in each thread."""
    if name == "pbs_errno":
        return _errno_location().contents.value
    if name == "pbs_server":
        return to_text(_server_location().contents.value)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_STRUCTURES = (attrl, attropl, batch_status, batch_deljob_status, ecl_attrerr, ecl_attribute_errors)
__all__ = ([kind.__name__ for kind in _STRUCTURES] + [name for name in globals() if name.startswith(("pbs_", "pbse_"))]
           + [name for name in vars(_constants) if not name.startswith("_")])
