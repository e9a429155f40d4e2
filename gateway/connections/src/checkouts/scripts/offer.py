# Offers the commits of a run's branch as a bundle, without those that are known already. Everything by which a repository
# makes git run programs is off. Exit 0: one line of JSON, then the bundle. Exit 64: refused, with the reason as text.
import json, os, shutil, subprocess, sys, tempfile

asked = json.loads(sys.argv[1])
folder, branch = asked["path"], "refs/heads/" + asked["branch"]
ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
}
OFF = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never", "-c", "gc.auto=0",
       "-c", "core.attributesFile=/dev/null"]


def refuse(why):
    sys.stdout.write(why)
    sys.stdout.flush()
    os._exit(64)


def git(*arguments, into=subprocess.PIPE):
    return subprocess.run(["git", *OFF, "-C", folder, *arguments], env=ENV, stdin=subprocess.DEVNULL, stdout=into,
                          stderr=subprocess.PIPE)


def told(done):
    if done.returncode != 0:
        refuse(f"git says: {done.stderr.decode(errors='replace').strip()[:900]}")
    return done.stdout


def commit(name):
    found = git("rev-parse", "--verify", "--quiet", name + "^{commit}")
    return found.stdout.decode().strip() if found.returncode == 0 else None


if not os.path.isdir(os.path.join(folder, ".git")):
    refuse(f"the checkout {folder} is not there any more; its commits that were received stay")
head = commit(branch)
if head is None:
    refuse(f"the branch {asked['branch']} is not in {folder} any more; commits leave the sandbox on that branch only")
# An agent that made a branch of its own on top of this one continues this one.
here = commit("HEAD")
if here and here != head:
    if git("merge-base", "--is-ancestor", head, here).returncode == 0:
        told(git("update-ref", branch, here, head))
        head = here
    elif git("merge-base", "--is-ancestor", here, head).returncode != 0:
        refuse(f"the commits in {folder} do not continue the branch {asked['branch']}; commits leave the sandbox on that "
               "branch only, so merge them into it")
changed = git("status", "--porcelain", "-z", "--ignore-submodules=all", "--untracked-files=normal")
uncommitted = min(changed.stdout.count(b"\0"), 100000)
known = [name for name in asked["known"] if commit(name) == name]
new = told(git("rev-list", "--count", head, "--not", *known)).strip() != b"0"
out = sys.stdout.buffer
if not new:
    out.write(json.dumps({"head": head, "bundle": 0, "uncommitted": uncommitted}).encode() + b"\n")
    out.flush()
    os._exit(0)
place = tempfile.mkdtemp(prefix="offer-", dir="/tmp")
try:
    path = os.path.join(place, "bundle")
    told(git("bundle", "create", "--quiet", path, branch, "--not", *known))
    size = os.path.getsize(path)
    if size > asked["most"]:
        refuse(f"the new commits have {size >> 20} MiB, and {asked['most'] >> 20} MiB is the limit of a step; leave large "
               "files out of the commits")
    out.write(json.dumps({"head": head, "bundle": size, "uncommitted": uncommitted}).encode() + b"\n")
    with open(path, "rb") as file:
        shutil.copyfileobj(file, out)
    out.flush()
except OSError as error:
    refuse(f"the commits cannot be written down: {error.strerror}; remove files from /tmp")
finally:
    shutil.rmtree(place, ignore_errors=True)
