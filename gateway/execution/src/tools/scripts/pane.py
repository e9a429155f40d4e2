# Makes sure that the agent's pane exists: session roost, a window a run, a pane an agent. Says "none" where there is no
# multiplexer. An operation of its own with a long deadline, because the server that it may start lives in its tree.
import fcntl, os, shutil, subprocess, sys

window, name = sys.argv[1:3]
if not shutil.which("tmux"):
    print("none")
    sys.exit(0)


def tmux(*arguments):
    done = subprocess.run(["tmux", "-u", *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=20)
    return done.returncode, done.stdout.decode(errors="replace").strip(), done.stderr.decode(errors="replace").strip()


# Two agents of one run may come at once.
lock = os.open("/tmp/.roost-panes", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
fcntl.flock(lock, fcntl.LOCK_EX)
code, found, _ = tmux("list-panes", "-s", "-t", "=roost:", "-F", "#{window_name}\t#{@roost_agent}\t#{pane_dead}\t#{pane_id}")
panes = [line.split("\t") for line in found.splitlines()] if code == 0 else []
mine = [pane[3] for pane in panes if pane[:3] == [window, name, "0"]]
if mine:
    print(mine[0])
    sys.exit(0)
shell = "/bin/bash" if os.path.exists("/bin/bash") else "/bin/sh"
form = ["-P", "-F", "#{pane_id}", "-c", "/workspace"]
others = [pane[3] for pane in panes if pane[0] == window]
if code != 0:
    # History is set before there is a pane, because a pane keeps what it began with.
    made = tmux("start-server", ";", "set-option", "-g", "history-limit", "10000", ";", "new-session", "-d", "-s", "roost", "-n", window, "-x", "200", "-y", "50", *form, shell)
elif others:
    made = tmux("split-window", "-d", "-t", others[0], *form, shell)
    if made[0] == 0:
        tmux("select-layout", "-t", others[0], "tiled")
    else:
        # No room in the window: another one of the same name.
        made = tmux("new-window", "-d", "-t", "=roost:", "-n", window, *form, shell)
else:
    made = tmux("new-window", "-d", "-t", "=roost:", "-n", window, *form, shell)
if made[0] != 0:
    print("none: " + made[2])
    sys.exit(0)
tmux("set-option", "-p", "-t", made[1], "@roost_agent", name)
print(made[1])
