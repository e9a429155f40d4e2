# Git for an agent: status, diff, commit, log of a repository under /workspace or /tmp, with everything off by which a
# repository makes git run programs: hooks, filters, text conversions, external diffs, merge drivers, a file system
# monitor, pagers, editors, signing, fetching. Exit 0: done. Exit 64: refused, with the reason as text.
import json, os, subprocess, sys

ROOTS = ("/workspace", "/tmp")
OFF = {
    "core.hooksPath": "/dev/null",
    "core.fsmonitor": "false",
    "core.attributesFile": "/dev/null",
    "core.pager": "cat",
    "core.editor": "false",
    "core.askPass": "false",
    "core.sshCommand": "false",
    "core.quotePath": "false",
    "commit.gpgSign": "false",
    "tag.gpgSign": "false",
    "log.showSignature": "false",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
    "submodule.recurse": "false",
    "color.ui": "false",
    "advice.detachedHead": "false",
}


def refuse(why):
    sys.stdout.write(why)
    sys.stdout.flush()
    os._exit(64)


def is_inside(path):
    return any(path == root or path.startswith(root + "/") for root in ROOTS)


def inside(path, what):
    real = os.path.realpath(path)
    if not is_inside(real):
        refuse(f"{what} {path} leads to {real}, which is outside of /workspace and /tmp")
    return real


asked = json.loads(sys.argv[1])
folder = inside(asked["path"], "the folder")
if not os.path.isdir(folder):
    refuse(f"{asked['path']} is not a folder")
ENV = {
    "PATH": "/usr/local/bin:/usr/bin:/bin",
    "HOME": "/nonexistent",
    "LANG": "C.UTF-8",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_AUTHOR_NAME": asked["name"],
    "GIT_AUTHOR_EMAIL": asked["email"],
    "GIT_COMMITTER_NAME": asked["name"],
    "GIT_COMMITTER_EMAIL": asked["email"],
}


def settle(settings):
    """As variables, because a key of a repository may hold any character."""
    ENV["GIT_CONFIG_COUNT"] = str(len(settings))
    for number, (key, value) in enumerate(settings.items()):
        ENV[f"GIT_CONFIG_KEY_{number}"] = key
        ENV[f"GIT_CONFIG_VALUE_{number}"] = value


def git(*arguments, stdin=None):
    return subprocess.run(["git", "-C", folder, *arguments], env=ENV, input=stdin,
                          stdin=subprocess.DEVNULL if stdin is None else None,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def said(done):
    return (done.stdout + done.stderr).decode(errors="replace").strip()


def told(done):
    if done.returncode != 0:
        refuse(f"git says: {said(done)[:4000]}")
    return done.stdout


settle(OFF)
where = git("rev-parse", "--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir")
if where.returncode != 0:
    refuse(f"{asked['path']} is not in a git repository with files ({said(where)[:300]})")
for place in where.stdout.decode(errors="surrogateescape").splitlines():
    inside(place, "the repository's")

settings = dict(OFF)
for key in told(git("config", "--list", "--name-only", "-z")).decode(errors="surrogateescape").split("\0"):
    section, _, rest = key.partition(".")
    name, _, last = rest.rpartition(".")
    if section == "filter" and last in ("clean", "smudge", "process"):
        settings[key] = ""
        settings[f"filter.{name}.required"] = "false"
    elif section == "diff" and last in ("command", "textconv"):
        settings[key] = ""
settle(settings)

head = git("rev-parse", "-q", "--verify", "HEAD").returncode == 0
out = sys.stdout.buffer
if asked["do"] == "status":
    out.write(told(git("status", "--short", "--branch", "--ignore-submodules=all")))
elif asked["do"] == "diff":
    base = "HEAD" if head else told(git("hash-object", "-t", "tree", "/dev/null")).decode().strip()
    out.write(told(git("diff", "--no-ext-diff", "--no-textconv", "--ignore-submodules=all", base, "--")))
    new = told(git("ls-files", "--others", "--exclude-standard")).decode(errors="replace").splitlines()
    if new:
        out.write(("New files, not in any commit:\n" + "\n".join(new[:200]) + "\n").encode())
    if len(new) > 200:
        out.write(f"and {len(new) - 200} more\n".encode())
elif asked["do"] == "log":
    if not head:
        out.write(b"There is no commit yet.\n")
    else:
        out.write(told(git("log", "-n", str(asked["limit"]), "--no-show-signature", "--date=iso-strict",
                           "--format=%h  %ad  %an  %s")))
else:
    paths = asked["paths"]
    told(git("add", "-A", "--", *paths) if paths else git("add", "-A"))
    only = ["--only", "--", *paths] if paths else []
    done = git("commit", "--no-verify", "--no-gpg-sign", "--quiet", "-F", "-", *only, stdin=asked["message"].encode())
    if done.returncode != 0:
        if not told(git("status", "--porcelain", "--ignore-submodules=all", "--untracked-files=no")):
            refuse("there is nothing to commit: the files are as in the last commit")
        refuse(f"git says: {said(done)[:4000]}")
    out.write(told(git("log", "-1", "--no-show-signature", "--stat", "--no-ext-diff", "--no-textconv", "--format=%h %s")))
out.flush()
