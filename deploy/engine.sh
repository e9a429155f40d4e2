#!/usr/bin/env bash
# The container engine: finds one that answers, or starts dockerd where nothing else would (a container, a machine
# without an init system). `start` is idempotent; `stop` ends only a dockerd that `start` itself started.
#
#   deploy/engine.sh start | stop | status
. "$(dirname "${BASH_SOURCE[0]}")/shell.sh"

pid_file=$ROOST_CACHE/dockerd.pid
log=$ROOST_CACHE/dockerd.log

usage() { sed -n '2,5s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

docker_answers() {
    local version
    have docker && version=$(timeout 10 docker version --format '{{.Server.Version}} (API {{.Server.APIVersion}})' 2>/dev/null) &&
        printf 'docker %s\n' "$version"
}

# Podman's command works without a service, but Roost speaks to a socket: a Podman counts when DOCKER_HOST names its own.
podman_answers() {
    local version
    [ -n "${DOCKER_HOST:-}" ] && have podman &&
        version=$(CONTAINER_HOST=$DOCKER_HOST timeout 10 podman --remote version --format '{{.Server.Version}}' 2>/dev/null) &&
        printf 'podman %s\n' "$version"
}

# Prints the engine's name and version when one answers within a few seconds.
answering() { docker_answers || podman_answers; }

refusal() { { docker version 2>&1 >/dev/null || true; } | tail -n 1; }

launch() { # Starts dockerd with the given extra arguments and waits until it answers or ends.
    local pid waited=0
    say "starting dockerd (log: $log)"
    # A session of its own: Ctrl-C in the terminal that happened to start it must not end it.
    # shellcheck disable=SC2024 # the log belongs to the user who asked, not to root
    as_root setsid dockerd "$@" </dev/null >"$log" 2>&1 9>&- &
    while ! docker_answers >/dev/null; do
        waited=$((waited + 1))
        if ! kill -0 $! 2>/dev/null && ! ps -p $! >/dev/null 2>&1; then return 1; fi
        [ "$waited" -lt 60 ] || return 1
        sleep 0.5
    done
    pid=$(cat /var/run/docker.pid 2>/dev/null || true)
    [ -n "$pid" ] && pid_write "$pid_file" "$pid"
    return 0
}

start() {
    local found
    exec 9>"$ROOST_CACHE/engine.lock"
    flock 9
    if found=$(answering); then
        detail "container engine: $found"
        return 0
    fi
    if [ -n "${DOCKER_HOST:-}" ]; then
        warn "DOCKER_HOST is $DOCKER_HOST, and no engine answers there: $(refusal)"
        return 1
    fi
    if [ -S /var/run/docker.sock ] && ! [ -w /var/run/docker.sock ]; then
        warn "an engine's socket exists (/var/run/docker.sock) but $(id -un) may not use it. To allow it: sudo usermod -aG docker $(id -un), then log in again (this is as powerful as root)"
        return 1
    fi
    if ! have dockerd; then
        warn "no container engine is installed (deploy/setup.sh run installs docker.io)"
        return 1
    fi
    if [ -d /run/systemd/system ]; then
        as_root systemctl start docker && found=$(answering) && detail "container engine: $found" && return 0
        warn "docker did not start: systemctl status docker says why"
        return 1
    fi
    # Second try for machines where the firewall may not be touched: sandboxes have no network, so none is needed.
    if launch || launch --iptables=false --ip6tables=false --bridge=none; then
        detail "container engine: $(answering)"
        return 0
    fi
    warn "dockerd does not run here; its last words:"
    tail -n 5 "$log" | sed 's/^/    /' >&2
    return 1
}

stop() {
    local pid
    if pid=$(pid_read "$pid_file"); then
        as_root kill -TERM "$pid"
        while [ -d "/proc/$pid" ]; do sleep 0.2; done
        rm -f "$pid_file"
        say "dockerd ($pid) stopped"
    else
        say "no dockerd of ours is running"
    fi
}

case ${1:-} in
start) start || exit 1 ;;
stop) stop ;;
status) answering || { warn "no container engine answers: $(refusal 2>/dev/null)" && exit 1; } ;;
*) usage && exit 2 ;;
esac
