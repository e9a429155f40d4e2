# Lays packages into the sandbox, outside of the checkout. The first line of stdin lists them; their bytes follow. Exit 0: one
# line of JSON. Exit 64: refused, with the reason as text. The gateway has checked each archive.
import hashlib, io, json, os, shutil, sys, tarfile

HOME, MARK = "/workspace", "# Written by Roost"
FOLDER, HALF = HOME + "/.supplies", HOME + "/.supplies.half"
asked = json.loads(sys.argv[1])
STAMP = os.path.join(FOLDER, "stamp")
stdin = sys.stdin.buffer


def refuse(why):
    shutil.rmtree(HALF, ignore_errors=True)
    sys.stdout.write(why)
    sys.stdout.flush()
    os._exit(64)


def written(path, content):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def unpacked(path, content, package):
    with tarfile.open(fileobj=io.BytesIO(content), mode="r:gz") as archive:
        for entry in archive:
            inner = entry.name.split("/", 1)[1] if "/" in entry.name else ""
            if not entry.isfile() or not inner or ".." in inner.split("/"):
                continue
            target = os.path.join(path, inner)
            written(target, archive.extractfile(entry).read())
            if entry.mode & 0o100:
                os.chmod(target, 0o755)
    sums = {"files": {}, "package": package}
    written(os.path.join(path, ".cargo-checksum.json"), json.dumps(sums).encode())


def configured(path, text):
    """Writes the settings of a package manager, and returns whether that file is ours to write."""
    path = os.path.join(HOME, path)
    try:
        with open(path) as file:
            if not file.read(len(MARK)) == MARK:
                return False
    except FileNotFoundError:
        pass
    written(path, text.encode())
    return True


def laid(head):
    shutil.rmtree(HALF, ignore_errors=True)
    for item in head["items"]:
        content = stdin.read(item["bytes"])
        if hashlib.sha256(content).hexdigest() != item["sha256"]:
            refuse("the packages did not arrive whole; start another step")
        path = os.path.join(HALF, item["to"])
        if item["how"] == "crate":
            unpacked(path, content, item["sha256"])
        else:
            written(path, content)
    shutil.rmtree(FOLDER, ignore_errors=True)
    os.rename(HALF, FOLDER)


try:
    head = json.loads(stdin.readline())
    here = None
    if os.path.exists(STAMP):
        with open(STAMP) as file:
            here = file.read()
    if here != asked["stamp"]:
        laid(head)
    kept = [path for path, text in head["settings"] if not configured(path, text)]
    written(STAMP, asked["stamp"].encode())
    print(json.dumps({"kept": kept}), flush=True)
    os._exit(0)
except OSError as error:
    shutil.rmtree(FOLDER, ignore_errors=True)
    refuse(f"the packages do not fit: {error.strerror}; make the sandbox's workspace larger, or remove files from it")
