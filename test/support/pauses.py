"""How long who waits for a condition pauses between two looks."""


def pause_after(waited_s):
    """Until the next look: a look is mostly a command, which takes processor time from what is waited for."""
    return min(0.02 + waited_s / 8, 0.5)
