#!/usr/bin/env bash
# Builds an image that sandboxes run, from Debian packages, and loads it into the container engine.
# Does nothing when the engine already has exactly this image.
#
#   deploy/agent-image/build.sh [options]
#
#   --recipe NAME         base, rust, node, python, polyglot, security, runtime: the files in deploy/agent-image/recipes (default: the tag's,
#                         else rust)
#   --profile tiny        busybox, for tests that need only a shell
#   --tag NAME:TAG        default roost-agent:NAME, roost-agent:tiny
#   --engine docker|podman
#   --guest FILE          the sandbox's first process, static (default: built from sandbox-driver/guest)
#   --probe FILE          the escape probe, static (default: the same)
#   --output FILE         write the image there (docker-archive) instead of loading it
#   --rootfs-only         only prepare the cached root file system: the slow part, which needs no engine
#   --refresh             ignore the cached root file system and take today's packages
#   --check               afterwards, run the image as a sandbox would and try its tools
#
# ROOST_GUEST_PROFILE names the Cargo profile of the guest and the probe (default: dist).
# Standard output is the image's id. The same packages and binaries give the same id on every machine.
. "$(dirname "${BASH_SOURCE[0]}")/../shell.sh"

here=$ROOST_ROOT/deploy/agent-image
. "$here/rootfs.sh"
usage() { sed -n '2,21s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; }

recipe='' profile=recipe tag='' engine='' guest='' probe='' output='' rootfs_only='' refresh='' check=''
while [ $# -gt 0 ]; do
    case $1 in
    --recipe | --profile | --tag | --engine | --guest | --probe | --output)
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
# `roostd image build` gives only the wanted tag: roost-agent:node is made by the recipe node.
if [ -z "$recipe" ] && [ -f "$here/recipes/${tag##*:}" ]; then recipe=${tag##*:}; fi
recipe=${recipe:-rust}
case $profile in
recipe) recipe_file "$recipe" >/dev/null ;;
tiny) recipe=tiny ;;
*) die "--profile is tiny, not $profile; --recipe chooses among the images with tools" ;;
esac
tag=${tag:-roost-agent:$recipe}

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
    local cargo_profile=${ROOST_GUEST_PROFILE:-dist}
    (cd "$ROOST_ROOT" && env -u RUSTC_WORKSPACE_WRAPPER "${CARGO:-cargo}" rustc --quiet --locked -p roost-sandbox-guest --bin "$1" --profile "$cargo_profile" -- -C target-feature=+crt-static) >&2 ||
        die "$1 does not build"
    printf '%s\n' "${CARGO_TARGET_DIR:-$ROOST_ROOT/target}/$cargo_profile/$1"
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

# The key names everything that decides a layer's content, except the day's package versions: those come in with the
# digests of the layers below, so a layer never lies on others than those that it was made upon.
layer_key() { # RECIPE LAYER-BELOW...
    local name=$1 below
    shift
    {
        cat "$here/finish-rootfs" "$here/rootfs.sh"
        printf '%s\n' "$name" "$arch"
        if [ "$profile" = recipe ]; then suite && packages "$name" "$(suite)" && extras "$name" | xargs -r cat; fi
        if [ $# -gt 0 ]; then cat "$here/layer"; fi
        for below in "$@"; do cat "$below.sha256"; done
    } | sha256sum | cut -c1-16
}

# Sets `layers` to the files of the root file system, the lowest first, and `key` to the name of the uppermost. Builds
# what is not in the cache; with "known" it fails instead.
rootfs() { # [known]
    local name file
    layers=()
    for name in $(if [ "$profile" = recipe ]; then chain "$recipe"; else echo tiny; fi); do
        # One build of a recipe at a time: `make run` prepares layers in the background while something else may ask for them.
        exec 8>"$cache/$name.lock"
        flock 8
        key=$(layer_key "$name" "${layers[@]}")
        file=$cache/$name-$key.tar
        if [ -z "${1:-}" ] && { [ -n "$refresh" ] || ! [ -s "$file.sha256" ]; }; then
            rm -f "$cache/$name"-*.tar "$cache/$name"-*.tar.sha256
            if [ "$profile" = recipe ]; then recipe_layer "$name" "$work/layer.tar" "${layers[@]}"; else tiny_rootfs "$work/layer.tar"; fi
            digest "$work/layer.tar" >"$work/layer.sha256"
            mv "$work/layer.tar" "$file"
            mv "$work/layer.sha256" "$file.sha256"
        fi
        exec 8>&-
        [ -s "$file.sha256" ] || return 1
        layers+=("$file")
    done
}

# --- the image ------------------------------------------------------------------------------------------------------

# A list of JSON strings. What goes into it is ours: names, digests and file names without quotation marks.
quoted() {
    local all
    all=$(printf '"%s",' "$@")
    printf %s "${all%,}"
}

# What the image says of itself; the gateway's catalogue reads purpose and tools.
purpose() { if [ "$profile" = recipe ]; then recipe_says "$recipe" purpose; else echo "A shell, for tests"; fi; }
tools() {
    local name
    if [ "$profile" = tiny ]; then echo sh && return; fi
    for name in $(chain "$recipe"); do recipe_says "$name" tools; done | tr ' ' '\n' | sort -u | paste -sd' '
}

config() { # DIFF_ID...
    local diffs history='' name
    diffs=$(quoted "$@")
    for name in $(if [ "$profile" = recipe ]; then chain "$recipe"; else echo tiny; fi); do
        history+="{\"created_by\":\"root file system: $name\"},"
    done
    cat <<JSON
{"architecture":"$arch","os":"linux","created":"1970-01-01T00:00:00Z","config":{"User":"65532:65532","WorkingDir":"/workspace","Cmd":["/usr/local/lib/roost/guest"],"Env":["PATH=/usr/local/bin:/usr/bin:/bin","HOME=/workspace","LANG=C.UTF-8","USER=agent","SHELL=$shell"],"Labels":{"org.roost.recipe":"$recipe","org.roost.purpose":"$(purpose)","org.roost.tools":"$(tools)","org.roost.rootfs":"$key","org.roost.guest":"$guest_digest","org.roost.probe":"$probe_digest"}},"rootfs":{"type":"layers","diff_ids":[$diffs]},"history":[$history{"created_by":"guest and escape probe"}]}
JSON
}

# A docker-archive: manifest, config, a layer for each recipe and one for our programs, which change more often. Recipes
# that are built upon one another have the same bytes in their lower layers, so an engine keeps those once.
archive() {
    local stage=$work/image config_digest file names=() digests=()
    mkdir -p "$stage" "$work/layer/usr/local/lib/roost"
    install -m 0755 "$guest" "$work/layer/usr/local/lib/roost/guest"
    install -m 0755 "$probe" "$work/layer/usr/local/lib/roost/escape-probe"
    # The runtime gives the workspace's tmpfs the mode of this folder, and Podman cannot give it an owner.
    mkdir -p "$work/layer/workspace" && chmod 1777 "$work/layer/workspace"
    (cd "$work/layer" && chmod 0755 usr usr/local usr/local/lib usr/local/lib/roost) && pack "$work/layer" "$stage/roost.tar"
    for file in "${layers[@]}"; do
        names+=("layer-${#names[@]}.tar")
        digests+=("sha256:$(cat "$file.sha256")")
        ln -s "$file" "$stage/${names[-1]}"
    done
    names+=(roost.tar)
    digests+=("sha256:$(digest "$stage/roost.tar")")
    config "${digests[@]}" >"$work/config.json"
    config_digest=$(digest "$work/config.json")
    mv "$work/config.json" "$stage/$config_digest.json"
    printf '[{"Config":"%s.json","RepoTags":["%s"],"Layers":[%s]}]\n' "$config_digest" "$tag" "$(quoted "${names[@]}")" >"$stage/manifest.json"
    image_id=sha256:$config_digest
    # Symbolic links are followed (-h), so a large layer is read once and never copied.
    tar c -h --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$stage" manifest.json "$config_digest.json" "${names[@]}"
}

label() { "$engine" image inspect --format "{{index .Config.Labels \"org.roost.$1\"}}" "$tag" 2>/dev/null; }

# An image without its layers in the cache is built anew: only they say what lies below the uppermost.
up_to_date() {
    [ -z "$refresh$output" ] && rootfs known && [ "$(label rootfs)" = "$key" ] && [ "$(label guest)" = "$guest_digest" ] && [ "$(label probe)" = "$probe_digest" ] && [ "$(label tools)" = "$(tools)" ]
}

report() {
    local bytes
    image_id=$("$engine" image inspect --format '{{.Id}}' "$tag")
    bytes=$("$engine" image inspect --format '{{.Size}}' "$tag")
    detail "$tag: $((bytes / 1000000)) MB, ${image_id}, guest ${guest_digest:0:12}"
    printf '%s\n' "$image_id"
}

check_image() {
    local script='id -u; test -w /workspace && echo workspace-writable; test ! -w / && echo root-read-only; set -e' name
    if [ "$profile" = recipe ]; then
        for name in $(chain "$recipe"); do script+="; cd /workspace; $(cat "$here/checks/$name")"; done
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
[ "$profile" = recipe ] || shell=/bin/sh

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
