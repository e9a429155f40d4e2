# Reads a lock file of the checkout. No link is followed. Exit 0: one line of JSON, then the file. Exit 64: refused, with the
# reason as text.
import errno, json, os, stat, sys

asked = json.loads(sys.argv[1])
path, most = asked["path"], asked["most"]
FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


def refuse(why):
    sys.stdout.write(why)
    sys.stdout.flush()
    os._exit(64)


def opened():
    at = os.open(asked["folder"], FOLDER)
    *folders, name = path.split("/")
    for folder in folders:
        below = os.open(folder, FOLDER, dir_fd=at)
        os.close(at)
        at = below
    return os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=at)


def read():
    fd = opened()
    kind = os.fstat(fd)
    if not stat.S_ISREG(kind.st_mode):
        refuse(f"the lock file {path} is a folder, a pipe or a device; name a file")
    if kind.st_size > most:
        refuse(f"the lock file {path} has {kind.st_size >> 20} MiB, and lock files up to {most >> 20} MiB are read; make it smaller")
    with os.fdopen(fd, "rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        refuse(f"the lock file {path} grew while it was read; ask again when nothing writes it")
    return content


try:
    content = read()
except OSError as error:
    if error.errno == errno.ENOENT:
        refuse(f"the checkout has no file {path}; the path begins in the folder of the checkout")
    if error.errno in (errno.ELOOP, errno.ENOTDIR):
        refuse(f"the lock file {path} is a link, or leads through one; links are not followed, so name the file itself")
    refuse(f"the lock file {path} cannot be read: {error.strerror}")
out = sys.stdout.buffer
out.write(json.dumps({"bytes": len(content)}).encode() + b"\n" + content)
out.flush()
os._exit(0)
