"""The mirror's writer in virtual time, fed by hand."""

from datetime import timedelta

from corvo.actors.kernel.api import Actor, named
from corvo.actors.kernel.sim import SimSystem
from corvo.actors.mirror.messages import AwaitMirror
from corvo.actors.mirror.writer import MirrorWriter
from corvo.actors.state.messages import EntryLanded, SlowDown
from corvo.actors.status import GetStatus
from corvo.storage.mirror import files
from corvo.storage.mirror.compare import compare
from tests.storage.mirror.support import build_empty
from tests.support.fsm import Fsm


class Listener(Actor):
    """Stands where the state machine's actor stands: it is subscribed to, and keeps what it is told."""

    def __init__(self):
        self.heard = []

    def receiveUnrecognizedMessage(self, message, sender):
        self.heard.append(message)


class Fed:
    """A state machine, a mirror writer, and somebody who decides which entries it hears of."""

    def __init__(self, folder, *, seed=0, kv=None, mailbox=4_096):
        self.folder = folder
        self.mailbox = mailbox
        self.fsm = Fsm(kv)
        self.kv = self.fsm.kv
        self.fed = 0
        self.seed = seed
        build_empty(folder)
        self.start()

    # The actor

    def start(self):
        self.system = SimSystem(self.seed)
        self.listener = self.system.createActor(Listener)
        self.writer = self.system.createActor(
            named(MirrorWriter, "mirror_writer", mailbox=self.mailbox),
            self.kv,
            self.listener,
            self.folder,
            self.system.clock,
        )
        self.system.run_until_idle()

    def restart(self):
        """The process ends in order and begins anew."""
        self.system.stop()
        self.start()

    def kill(self):
        """The process ends at once."""
        self.mirror.abandon()
        self.start()

    @property
    def mirror(self):
        return self.writer.instance._mirror

    @property
    def path(self):
        return files.current(self.folder)

    # Entries

    def feed(self, count=None):
        """Tell of the next entries."""
        entries = self.fsm.applied[self.fed :][:count]
        for applied in entries:
            self.system.tell(self.writer, EntryLanded(applied))
        self.fed += len(entries)

    def lose(self, count=None):
        """The next entries are told of, but nobody hears it."""
        self.fed = len(self.fsm.applied) if count is None else min(self.fed + count, len(self.fsm.applied))

    # Time and questions

    def settle(self):
        self.system.run_until_idle()

    def advance(self, **period):
        self.system.advance(timedelta(**period))

    def ask(self, message):
        return self.system.ask(self.writer, message).result()

    def catch_up(self):
        """Have everything in the mirror, however long it takes in virtual time."""
        self.feed()
        self.ask(AwaitMirror(self.fsm.machine.index, 60_000))

    def status(self):
        return self.ask(GetStatus()).mirror

    def rests(self):
        """How long the batcher was told to rest for each job, one after the other."""
        heard = self.listener.instance.heard
        return [message.rest_us for message in heard if isinstance(message, SlowDown)]

    def rebuild_status(self):
        return self.ask(GetStatus()).rebuild

    def rebuilds(self):
        return self.rebuild_status().ran

    def live_on(self, seconds=10):
        """Jobs of the queues q0 to q6 come and go while time passes."""
        for _ in range(seconds):
            job = self.fsm.lease(None, *(f"q{n}" for n in range(7)))
            self.fsm.ack(job.id, job.lease.token)
            self.fsm.enqueue("q0")
            self.feed()
            self.advance(seconds=1)

    def differences(self):
        return list(compare(self.kv, self.path))

    def close(self):
        self.system.stop()


def populated(folder, **arguments):
    """A writer with a few hundred jobs in seven queues."""
    fed = Fed(folder, **arguments)
    new = [fed.fsm.new_job(f"q{n % 7}", b'{"n":%d,"text":"%s"}' % (n, b"x" * (n % 90))) for n in range(300)]
    fed.fsm.enqueue_many(*new)
    fed.catch_up()
    return fed
