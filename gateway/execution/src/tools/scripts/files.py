# Reads, writes and lists files under /workspace and /tmp; a link that leads out of them is refused. Exit 0: done, the
# first line is a JSON object about it, the rest is content. Exit 64: refused, with the reason as text.
import errno, json, os, stat, sys

ROOTS = ("/workspace", "/tmp")
MOST = 40 * 1024
LINE = 2000
ENTRIES = 1000


def refuse(why):
    sys.stdout.write(why)
    sys.stdout.flush()
    os._exit(64)


def is_inside(path):
    return any(path == root or path.startswith(root + "/") for root in ROOTS)


def inside(path):
    real = os.path.realpath(path)
    if not is_inside(real):
        refuse(f"{path} leads to {real}, which is outside of /workspace and /tmp; only these may be used")
    return real


def opened(path, flags):
    """Opens what was checked, and checks what was opened: nothing can be put in between."""
    fd = os.open(path, flags | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    really = os.readlink(f"/proc/self/fd/{fd}")
    if not is_inside(really):
        refuse(f"{path} leads to {really}, which is outside of /workspace and /tmp; only these may be used")
    return fd


def answer(about, content=b""):
    data = json.dumps(about).encode() + b"\n" + content
    while data:
        data = data[os.write(1, data):]


def read(path, offset, limit):
    fd = opened(inside(path), os.O_RDONLY)
    kind = os.fstat(fd)
    if stat.S_ISDIR(kind.st_mode):
        refuse(f"{path} is a folder; list_files shows what is in it")
    if not stat.S_ISREG(kind.st_mode):
        refuse(f"{path} is not a file that can be read (it is a device, a pipe or a socket)")
    with os.fdopen(fd, "rb") as file:
        if b"\0" in file.read(8192):
            refuse(f"{path} is not text ({kind.st_size} bytes)")
        file.seek(0)
        total, given, size, shortened, full = 0, [], 0, 0, False
        for line in file:
            total += 1
            if total < offset or total >= offset + limit or full:
                continue
            if len(line) > LINE:
                shortened += 1
                line = line[:LINE] + b" [line cut]\n"
            if size + len(line) > MOST:
                full = True
                continue
            size += len(line)
            given.append(line)
    if total and offset > total:
        refuse(f"{path} has {total} lines; there is no line {offset}")
    answer({"total": total, "from": offset, "lines": len(given), "shortened": shortened, "bytes": kind.st_size}, b"".join(given))


def write(path, expected):
    content = sys.stdin.buffer.read()
    if len(content) != expected:
        refuse(f"only {len(content)} of {expected} bytes arrived; nothing was written")
    real = inside(path)
    if os.path.isdir(real):
        refuse(f"{path} is a folder")
    folder, name = os.path.split(real)
    os.makedirs(folder, exist_ok=True)
    at = opened(folder, os.O_RDONLY | os.O_DIRECTORY)
    mode, there = 0o644, False
    try:
        before = os.stat(name, dir_fd=at, follow_symlinks=False)
        if not stat.S_ISREG(before.st_mode):
            refuse(f"{path} is not a regular file")
        mode, there = stat.S_IMODE(before.st_mode), True
    except FileNotFoundError:
        pass
    new = f".{name[:100]}.{os.getpid()}.new"
    fd = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=at)
    try:
        with os.fdopen(fd, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
        os.replace(new, name, src_dir_fd=at, dst_dir_fd=at)
    except OSError:
        os.unlink(new, dir_fd=at)
        raise
    answer({"bytes": len(content), "made": not there, "path": real})


def listed(path, depth):
    top = inside(path)
    os.close(opened(top, os.O_RDONLY | os.O_DIRECTORY))
    lines, more = [], 0

    def walk(folder, level):
        nonlocal more
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except PermissionError:
            lines.append("  " * level + "(not readable)")
            return
        for entry in entries:
            if len(lines) >= ENTRIES:
                more += 1
                continue
            name = entry.name.encode(errors="surrogateescape").decode(errors="replace").replace("\n", "?")
            if entry.is_symlink():
                lines.append("  " * level + f"{name} -> {os.readlink(entry.path)}")
            elif entry.is_dir():
                lines.append("  " * level + f"{name}/")
                if level + 1 < depth and name != ".git":
                    walk(entry.path, level + 1)
            else:
                lines.append("  " * level + f"{name}  {entry.stat(follow_symlinks=False).st_size}")

    walk(top, 0)
    text = "\n".join(lines)
    answer({"entries": len(lines), "more": more, "path": top}, text.encode(errors="replace"))


try:
    asked = json.loads(sys.argv[1])
    if asked["do"] == "read":
        read(asked["path"], asked["offset"], asked["limit"])
    elif asked["do"] == "write":
        write(asked["path"], asked["bytes"])
    else:
        listed(asked["path"], asked["depth"])
except OSError as error:
    if error.errno == errno.ENOSPC:
        refuse("the sandbox's disk is full; remove something first")
    refuse(f"{asked['path']}: {error.strerror}")
