"""A pseudo-terminal with the command on it: keys go in, the screen can be read."""

import sys
import time

import pexpect
import pyte

ROWS, COLUMNS = 32, 130


class Terminal:
    def __init__(self, environment, *args, term="xterm-256color"):
        self.raw = b""
        self._screen = pyte.Screen(COLUMNS, ROWS)
        self._stream = pyte.ByteStream(self._screen)
        self.process = pexpect.spawn(
            sys.executable,
            ["-m", "corvo", *map(str, args)],
            dimensions=(ROWS, COLUMNS),
            env=environment | {"TERM": term},
        )

    def send(self, keys):
        self.process.send(keys)

    @property
    def text(self):
        return "\n".join(line.rstrip() for line in self._screen.display)

    def until(self, *texts, seconds=60):
        """Wait until all of these are on the screen at once."""
        self._until(lambda: all(text in self.text for text in texts), texts, seconds)

    def until_row(self, *cells, seconds=60):
        """Wait until a line begins with these words."""

        def holds():
            return any(line.split()[: len(cells)] == list(cells) for line in self._screen.display)

        self._until(holds, cells, seconds)

    def until_gone(self, text, seconds=60):
        self._until(lambda: text not in self.text, f"the end of {text}", seconds)

    def _until(self, holds, what, seconds):
        deadline = time.monotonic() + seconds
        while not holds():
            assert time.monotonic() < deadline, f"{what} not on the screen:\n{self.text}"
            if not self._read():
                assert holds(), f"it ended before {what}:\n{self.text}"

    def _read(self):
        try:
            piece = self.process.read_nonblocking(65_536, timeout=0.1)
        except pexpect.TIMEOUT:
            return True
        except pexpect.EOF:
            return False
        self.raw += piece
        self._stream.feed(piece)
        return True

    def ended(self, seconds=60):
        """The exit code; what it still had to say is on the screen."""
        deadline = time.monotonic() + seconds
        while self._read():
            assert time.monotonic() < deadline, f"it goes on:\n{self.text}"
        self.process.close()
        return self.process.exitstatus
