# Runs one command and passes its output on as it comes; shows both on the terminal of the agent's pane, where there is
# one. The command is this program's child, not the multiplexer's: the end of the operation ends it with all that it
# started, and its output and exit code are exact. The pane is never waited for: what it cannot take at once it misses.
import fcntl, os, select, signal, subprocess, sys

command, window, name = sys.argv[1:4]
WAITING = 64 * 1024


def terminal():
    if not window:
        return None
    form = "#{window_name}\t#{@roost_agent}\t#{pane_dead}\t#{pane_tty}"
    try:
        found = subprocess.run(["tmux", "list-panes", "-s", "-t", "=roost:", "-F", form], stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=5)
        for line in found.stdout.decode(errors="replace").splitlines():
            parts = line.split("\t")
            if parts[:3] == [window, name, "0"]:
                return os.open(parts[3], os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (OSError, subprocess.SubprocessError):
        pass
    return None


class Shown:
    """The pane: takes what it can, and says once how much it missed."""

    def __init__(self, fd):
        self.fd, self.waiting, self.missed = fd, bytearray(), 0

    def write(self, data):
        if self.fd is None:
            return
        if len(self.waiting) > WAITING:
            self.missed += len(data)
            return
        if self.missed:
            data = b"\n[%d bytes were not shown]\n" % self.missed + data
            self.missed = 0
        self.waiting += data.replace(b"\r\n", b"\n").replace(b"\n", b"\r\n")
        self.flush()

    def flush(self):
        while self.fd is not None and self.waiting:
            try:
                del self.waiting[: os.write(self.fd, self.waiting[:4096])]
            except BlockingIOError:
                return
            except OSError:
                self.fd = None

    def last(self):
        for _ in range(20):
            self.flush()
            if self.fd is None or not self.waiting or not select.select([], [self.fd], [], 0.05)[1]:
                return


def put(data):
    while data:
        data = data[os.write(1, data):]


pane = Shown(terminal())
pane.write(b"\r\x1b[2K\x1b[1m$ " + command.encode(errors="replace") + b"\x1b[0m\n")
ended, ended_there = os.pipe()
for fd in (ended, ended_there):
    os.set_blocking(fd, False)
signal.set_wakeup_fd(ended_there, warn_on_full_buffer=False)
signal.signal(signal.SIGCHLD, lambda *_: None)
output, output_there = os.pipe()
try:
    fcntl.fcntl(output, 1031, 1 << 20)
except OSError:
    pass
shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
child = subprocess.Popen([shell, "-c", command], stdin=subprocess.DEVNULL, stdout=output_there, stderr=output_there)
os.close(output_there)
os.set_blocking(output, False)


def passed_on():
    """Passes on what is there; False when nobody can write any more."""
    while True:
        try:
            data = os.read(output, 65536)
        except BlockingIOError:
            return True
        if not data:
            return False
        put(data)
        pane.write(data)


writable = True
while child.poll() is None:
    sources = [ended, output] if writable else [ended]
    ready = select.select(sources, [pane.fd] if pane.fd is not None and pane.waiting else [], [])
    if output in ready[0]:
        writable = passed_on()
    if ended in ready[0]:
        os.read(ended, 512)
    pane.flush()
if writable:
    # What it left running may write on for ever: only what is there when the command ended is its output.
    left = 1 << 20
    while left > 0:
        try:
            data = os.read(output, min(65536, left))
        except BlockingIOError:
            break
        if not data:
            break
        left -= len(data)
        put(data)
        pane.write(data)
code = child.returncode if child.returncode >= 0 else 128 - child.returncode
if code:
    pane.write(b"\x1b[2m[exit code %d]\x1b[0m\n" % code)
pane.last()
os._exit(code)
