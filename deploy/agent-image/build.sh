#!/usr/bin/env bash
# Builds the image that sandboxes run, from Debian packages, and loads it into the container engine.
# Does nothing when the engine already has exactly this image.
#
#   deploy/agent-image/build.sh [options]
#
#   --profile full|tiny   full: shell, git, Python, C and Rust (default); tiny: busybox, for tests that need only a shell
#   --tag NAME:TAG        default roost-agent:dev (full), roost-agent:tiny (tiny)
#   --engine docker|podman
#   --guest FILE          the sandbox's first process, static (default: built from sandbox-driver/guest)
#   --probe FILE          the escape probe, static (default: the same)
#   --output FILE         write the image there (docker-archive) instead of loading it
#   --rootfs-only         only prepare the cached root file system: the slow part, which needs no engine
#   --refresh             ignore the cached root file system and take today's packages
#   --check               afterwards, run the image as a sandbox would and try its tools
#
# Standard output is the image's id. The same packages and binaries give the same id on every machine.
. "$(dirname "${BASH_SOURCE[0]}")/../shell.sh"

here=$ROOST_ROOT/deploy/agent-image
. "$here/rootfs.sh"
usage() { sed -n '2,18s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

profile=full tag='' engine='' guest='' probe='' output='' rootfs_only='' refresh='' check=''
while [ $# -gt 0 ]; do
    case $1 in
    --profile | --tag | --engine | --guest | --probe | --output)
        [ $# -ge 2 ] || die "$1 needs a value"
        printf -v "${1#--}" %s "$2"
        shift
        ;;
    --rootfs-only) rootfs_only=yes ;;
    --refresh) refresh=yes ;;
    --check) check=yes ;;
    -h | --help) usage && exit ;;
    *) usage >&2 && die "unknown option $1" ;;
    esac
    shift
done
case $profile in
full) tag=${tag:-roost-agent:dev} ;;
tiny) tag=${tag:-roost-agent:tiny} ;;
*) die "--profile is full or tiny, not $profile" ;;
esac

case $(uname -m) in
x86_64) arch=amd64 ;;
aarch64) arch=arm64 ;;
*) die "agent images are built for x86_64 and aarch64, not $(uname -m)" ;;
esac

cache=$ROOST_CACHE/agent-image
mkdir -p "$cache"
work=$(mktemp -d "$cache/build.XXXXXX")
trap 'rm -rf "$work"' EXIT

digest() { sha256sum "$@" | cut -d' ' -f1; }

# --- the two programs of ours ---------------------------------------------------------------------------------------

# static BIN: builds one of the guest's programs and prints its path.
static() {
    # crt-static on the last crate only: as a global flag it would rebuild everything twice.
    (cd "$ROOST_ROOT" && "${CARGO:-cargo}" rustc --quiet --locked -p roost-sandbox-guest --bin "$1" --profile dist -- -C target-feature=+crt-static) >&2 ||
        die "$1 does not build"
    printf '%s\n' "${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/dist/$1"
}

programs() {
    [ -n "$guest" ] || guest=$(static roost-guest)
    [ -n "$probe" ] || probe=$(static escape-probe)
    local program
    for program in "$guest" "$probe"; do
        [ -x "$program" ] || die "$program is not an executable file"
        if readelf -lW "$program" 2>/dev/null | grep -q INTERP; then
            die "$program is linked dynamically: it must run in any image, so build it with -C target-feature=+crt-static"
        fi
    done
}

# --- the root file system, by rootfs.sh ------------------------------------------------------------------------------

# The key names everything that decides the root file system's content, except the day's package versions.
rootfs_key() {
    {
        cat "$here/finish-rootfs" "$here/rootfs.sh"
        printf '%s\n' "$profile" "$arch"
        if [ "$profile" = full ]; then suite && packages "$(suite)"; fi
    } | sha256sum | cut -c1-16
}

rootfs() {
    key=$(rootfs_key)
    rootfs_tar=$cache/$profile-$key.tar
    # One build at a time: `make run` prepares the file system in the background while something else may ask for it.
    exec 8>"$cache/$profile.lock"
    flock 8
    if [ -n "$refresh" ] || ! [ -s "$rootfs_tar.sha256" ]; then
        rm -f "$cache/$profile"-*.tar "$cache/$profile"-*.tar.sha256
        "${profile}_rootfs" "$work/rootfs.tar"
        digest "$work/rootfs.tar" >"$work/rootfs.sha256"
        mv "$work/rootfs.tar" "$rootfs_tar"
        mv "$work/rootfs.sha256" "$rootfs_tar.sha256"
    fi
    exec 8>&-
}

# --- the image ------------------------------------------------------------------------------------------------------

config() { # DIFF_ID...
    local diffs
    diffs=$(printf '"sha256:%s",' "$@")
    cat <<JSON
{"architecture":"$arch","os":"linux","created":"1970-01-01T00:00:00Z","config":{"User":"65532:65532","WorkingDir":"/workspace","Cmd":["/usr/local/lib/roost/guest"],"Env":["PATH=/usr/local/bin:/usr/bin:/bin","HOME=/workspace","LANG=C.UTF-8","USER=agent","SHELL=$shell"],"Labels":{"org.roost.profile":"$profile","org.roost.rootfs":"$key","org.roost.guest":"$guest_digest","org.roost.probe":"$probe_digest"}},"rootfs":{"type":"layers","diff_ids":[${diffs%,}]},"history":[{"created_by":"root file system: $profile"},{"created_by":"guest and escape probe"}]}
JSON
}

# A docker-archive: manifest, config, one layer for the root file system and one for our programs, which change more often.
archive() {
    local stage=$work/image config_digest
    mkdir -p "$stage" "$work/layer/usr/local/lib/roost"
    install -m 0755 "$guest" "$work/layer/usr/local/lib/roost/guest"
    install -m 0755 "$probe" "$work/layer/usr/local/lib/roost/escape-probe"
    # The runtime gives the workspace's tmpfs the mode of this folder, and Podman cannot give it an owner.
    mkdir -p "$work/layer/workspace" && chmod 1777 "$work/layer/workspace"
    (cd "$work/layer" && chmod 0755 usr usr/local usr/local/lib usr/local/lib/roost) && pack "$work/layer" "$stage/roost.tar"
    ln -s "$rootfs_tar" "$stage/rootfs.tar"
    config "$(cat "$rootfs_tar.sha256")" "$(digest "$stage/roost.tar")" >"$work/config.json"
    config_digest=$(digest "$work/config.json")
    mv "$work/config.json" "$stage/$config_digest.json"
    printf '[{"Config":"%s.json","RepoTags":["%s"],"Layers":["rootfs.tar","roost.tar"]}]\n' "$config_digest" "$tag" >"$stage/manifest.json"
    image_id=sha256:$config_digest
    # The symbolic link is followed (-h), so the large layer is read once and never copied.
    tar c -h --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$stage" manifest.json "$config_digest.json" rootfs.tar roost.tar
}

label() { "$engine" image inspect --format "{{index .Config.Labels \"org.roost.$1\"}}" "$tag" 2>/dev/null; }

up_to_date() {
    [ -z "$refresh$output" ] && [ "$(label rootfs)" = "$(rootfs_key)" ] && [ "$(label guest)" = "$guest_digest" ] && [ "$(label probe)" = "$probe_digest" ]
}

report() {
    local bytes
    image_id=$("$engine" image inspect --format '{{.Id}}' "$tag")
    bytes=$("$engine" image inspect --format '{{.Size}}' "$tag")
    detail "$tag: $((bytes / 1000000)) MB, ${image_id}, guest ${guest_digest:0:12}"
    printf '%s\n' "$image_id"
}

check_image() {
    local script='id -u; test -w /workspace && echo workspace-writable; test ! -w / && echo root-read-only'
    if [ "$profile" = full ]; then
        script+='; set -e; bash --version | head -n 1; git --version; tmux -V; rg --version | head -n 1; jq --version; cargo --version; python3 -c "print(sum(range(10)))"'
        script+='; cd /workspace; printf "int main(void){return 0;}\n" >a.c; cc a.c -o a; ./a; echo c-works'
        script+='; printf "fn main(){println!(\"rust-works\")}\n" >b.rs; rustc b.rs; ./b; git init -q . && git status --short | wc -l; ps ax | wc -l'
    fi
    say "trying $tag as a sandbox would"
    # Podman cannot give a tmpfs an owner; it takes the mode of the image's folder instead.
    local owner=,uid=65532,gid=65532
    [ "$engine" != podman ] || owner=''
    "$engine" run --rm --network none --read-only --cap-drop ALL --security-opt no-new-privileges --user 65532:65532 \
        --tmpfs /workspace:rw,nosuid,nodev,exec,size=256m$owner --tmpfs /tmp:rw,noexec,nosuid,nodev,size=16m \
        -e TMPDIR=/workspace "$tag" /bin/sh -c "$script" >&2 || die "$tag does not work as it should"
}

shell=/bin/bash
[ "$profile" = full ] || shell=/bin/sh

if [ -n "$rootfs_only" ]; then
    rootfs
    exit
fi
programs
guest_digest=$(digest "$guest")
probe_digest=$(digest "$probe")
if [ -n "$output" ]; then
    rootfs
    archive >"$output.partial"
    mv "$output.partial" "$output"
    detail "$output: $(($(stat -c %s "$output") / 1000000)) MB, $image_id"
    printf '%s\n' "$image_id"
    exit
fi
if [ -z "$engine" ]; then engine=$("$ROOST_ROOT/deploy/engine.sh" status | cut -d' ' -f1) || exit 1; fi
# Into the Podman that Roost will speak to, not into this user's own storage.
if [ "$engine" = podman ] && [ -n "${DOCKER_HOST:-}" ]; then export CONTAINER_HOST=$DOCKER_HOST; fi
if up_to_date; then
    detail "$tag is up to date"
else
    rootfs
    say "loading $tag into $engine"
    replaced=$("$engine" image inspect --format '{{.Id}}' "$tag" 2>/dev/null || true)
    archive | "$engine" load -q >/dev/null
fi
report
# What the tag named before is nobody's any more, unless a sandbox still runs it: then the engine refuses.
if [ -n "${replaced:-}" ] && [ "$replaced" != "$image_id" ]; then "$engine" image rm "$replaced" >/dev/null 2>&1 || true; fi
if [ -n "$check" ]; then check_image; fi
