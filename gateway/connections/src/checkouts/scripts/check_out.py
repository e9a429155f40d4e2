# Makes the checkout of a run. The bundle arrives on stdin, after its folder was found to be missing. Hooks, filters,
# submodules and fetches are off. Exit 0: one line of JSON. Exit 64: refused, with the reason as text.
import errno, json, os, shutil, subprocess, sys

ROOT = "/workspace"
asked = json.loads(sys.argv[1])
half = os.path.join(ROOT, f".checkout-{asked['short']}")
BRANCH = "refs/heads/" + asked["branch"]
ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
}
OFF = ["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "protocol.allow=never",
       "-c", "submodule.recurse=false", "-c", "gc.auto=0", "-c", "advice.detachedHead=false"]


def refuse(why):
    # Half a checkout would take the room that the agent needs.
    shutil.rmtree(half, ignore_errors=True)
    sys.stdout.write(why)
    sys.stdout.flush()
    os._exit(64)


def git(folder, *arguments, stdin=subprocess.DEVNULL):
    return subprocess.run(["git", *OFF, "-C", folder, *arguments], env=ENV, stdin=stdin,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def full():
    refuse("the repository does not fit into the sandbox's workspace; make the workspace larger, or remove files from it")


def told(done):
    if done.returncode != 0:
        said = (done.stdout + done.stderr).decode(errors="replace").strip()
        # git names no cause when a file of the checkout cannot be written to its end.
        ends, begin = (": No space left on device", " Out of diskspace"), "error: unable to write file "
        if any(line.endswith(ends) or line.startswith(begin) for line in said.splitlines()):
            full()
        refuse(f"git cannot check the repository out: {said[:900]}")
    return done.stdout.decode(errors="replace").strip()


def answer(folder):
    commit = told(git(folder, "rev-parse", "--verify", "--quiet", BRANCH + "^{commit}"))
    print(json.dumps({"path": folder, "commit": commit}), flush=True)
    os._exit(0)


def is_ours(folder):
    if not os.path.isdir(os.path.join(folder, ".git")):
        return False
    return git(folder, "rev-parse", "--verify", "--quiet", BRANCH).returncode == 0


if shutil.which("git", path=ENV["PATH"]) is None:
    refuse("the image of the sandbox has no git, which a checkout needs; choose an image with git")
plain = os.path.join(ROOT, asked["folder"])
other = f"{plain}-{asked['short']}"
for folder in (plain, other):
    if is_ours(folder):
        answer(folder)
target = other if os.path.lexists(plain) else plain
if os.path.lexists(target):
    refuse(f"{target} exists already and is not the checkout of this run; remove it")

shutil.rmtree(half, ignore_errors=True)
try:
    told(git(ROOT, "init", "--quiet", "--template=", "--initial-branch=none", half))
    # The head of a bundle ends with an empty line; the pack follows.
    head = b""
    while not head.endswith(b"\n\n"):
        letter = sys.stdin.buffer.raw.read(1)
        if not letter or len(head) > 4096:
            refuse("the repository did not arrive whole; try again")
        head += letter
    if asked["shallow"]:
        with open(os.path.join(half, ".git/shallow"), "w") as file:
            file.write(asked["shallow"] + "\n")
    told(git(half, "index-pack", "--stdin", "--fix-thin", stdin=sys.stdin.buffer.raw))
    told(git(half, "update-ref", BRANCH, asked["commit"]))
    told(git(half, "symbolic-ref", "HEAD", BRANCH))
    told(git(half, "reset", "--quiet", "--hard", BRANCH))
    for key, value in (("user.name", asked["name"]), ("user.email", asked["email"])):
        told(git(half, "config", key, value))
    os.rename(half, target)
except OSError as error:
    if error.errno == errno.ENOSPC:
        full()
    refuse(f"the checkout failed: {error.strerror}; make the sandbox's workspace larger, or remove files from it")
answer(target)
