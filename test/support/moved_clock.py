"""A clock that a test moves: for whatever has moved_clock.c loaded, the time of day is so many seconds ahead of this machine's."""
import os
import shutil
import struct
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
COMPILER = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")


class MovedClock:
    def __init__(self, directory):
        """Its library and its file lie there."""
        self.library, self.file = os.path.join(directory, "moved_clock.so"), os.path.join(directory, "ahead")
        subprocess.run([COMPILER, "-shared", "-fPIC", "-O1", f'-DMOVED_CLOCK_FILE="{self.file}"', "-o", self.library,
                        os.path.join(HERE, "moved_clock.c")], check=True)
        with open(self.file, "wb") as f:
            f.write(struct.pack("<q", 0))
        self.ahead = 0

    def environment(self):
        """For whoever is to have this clock. A sanitizer does not mind that it is not the first library."""
        return {"LD_PRELOAD": self.library, "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}

    def set_ahead(self, seconds):
        self.ahead = seconds
        with open(self.file, "r+b") as f:
            f.write(struct.pack("<q", seconds))

    def now(self):
        return time.time() + self.ahead

    def go_on_to(self, when):
        """It is that time now, or later. Timers that were set before ring when they would have."""
        self.set_ahead(max(self.ahead, self.ahead + int(when - self.now()) + 1))
