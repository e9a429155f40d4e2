# Says which Python the sandbox has: one line of JSON. The gateway chooses the files of packages by it.
import json, os, sys

try:
    name, number = os.confstr("CS_GNU_LIBC_VERSION").split()
    glibc = [int(part) for part in number.split(".")[:2]] if name == "glibc" else [0, 0]
except (AttributeError, OSError, ValueError):
    # Another C library, as musl.
    glibc = [0, 0]
print(json.dumps({"minor": sys.version_info[1], "machine": os.uname().machine, "glibc": glibc}), flush=True)
