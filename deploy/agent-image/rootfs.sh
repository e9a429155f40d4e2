# shellcheck shell=bash
# Sourced by build.sh: how the image's root file system is made. Changing a byte here makes everyone build it anew.
# Uses $here, $work and $arch of build.sh.

# The machine's own Debian sources, so that a mirror or proxy that it is set up with is used here too.
# On another distribution there are none, and mmdebstrap takes its own default.
sources() { # SUITE
    apt-get indextargets --format "\$(ORIGIN)|\$(CODENAME)|\$(REPO_URI)|\$(RELEASE)|\$(COMPONENT)" 'Created-By: Packages' 2>/dev/null |
        awk -F'|' -v suite="$1" '$1 == "Debian" && index($2, suite) == 1 { print "deb " $3 " " $4 " " $5 }' | sort -u
}

suite() {
    local codename
    codename=$(. /etc/os-release && if [ "$ID" = debian ]; then printf %s "${VERSION_CODENAME:-}"; fi)
    printf '%s\n' "${ROOST_AGENT_SUITE:-${codename:-bookworm}}"
}

packages() { # SUITE
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "$here/packages"
    # Bookworm's rustc is from 2022; the one that Debian keeps for its browsers is current.
    if [ "$1" = bookworm ]; then printf '%s\n' rustc-web cargo-web; else printf '%s\n' rustc cargo; fi
}

# The newest date among the machine's package lists: the image's clock, so that equal packages give equal bytes.
lists_epoch() {
    local newest=0 file stamp
    for file in /var/lib/apt/lists/*InRelease /var/lib/apt/lists/*_Release; do
        [ -r "$file" ] || continue
        stamp=$(date -d "$(sed -n 's/^Date: //p' "$file" | head -n 1)" +%s 2>/dev/null) || continue
        [ "$stamp" -gt "$newest" ] && newest=$stamp
    done
    [ "$newest" -gt 0 ] && printf '%s\n' "$newest" || printf '1767225600\n'
}

full_rootfs() { # FILE
    local release include proxy options=()
    have mmdebstrap || die "mmdebstrap is missing: deploy/setup.sh run installs it"
    release=$(suite)
    include=$(packages "$release" | paste -sd,)
    sources "$release" >"$work/sources.list"
    for proxy in http https; do
        proxy="Acquire::$proxy::Proxy"
        eval "$(apt-config shell value "$proxy")"
        # shellcheck disable=SC2154 # set by the line above
        if [ -n "${value:-}" ]; then options+=(--aptopt="$proxy \"$value\""); fi
        value=''
    done
    say "root file system: Debian $release with $(packages "$release" | wc -l) packages (about a minute, then cached)"
    # No documentation or translations: nobody reads them in a sandbox, and they are a fifth of the bytes.
    SOURCE_DATE_EPOCH=$(lists_epoch) mmdebstrap --quiet --variant=minbase --architectures="$arch" "${options[@]}" \
        --include="$include" \
        --aptopt='Acquire::Retries "3"' \
        --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/lintian/*' \
        --dpkgopt='path-exclude=/usr/bin/*lto-dump*' \
        --customize-hook="$here/finish-rootfs \"\$1\"" \
        "$release" "$1" "$([ -s "$work/sources.list" ] && printf %s "$work/sources.list")" >&2 ||
        die "the root file system could not be built; try again with a working apt-get update"
}

tiny_rootfs() { # FILE
    local busybox root=$work/root applet
    if ! busybox=$(type -P busybox) || readelf -lW "$busybox" | grep -q INTERP; then
        (cd "$work" && apt-get download -qq busybox-static >/dev/null && dpkg-deb -x busybox-static_*.deb busybox) ||
            die "busybox-static is missing: deploy/setup.sh test installs it"
        busybox=$work/busybox/bin/busybox
    fi
    mkdir -p "$root"/{bin,dev,etc,proc,sys,usr/bin,usr/local/lib,workspace} "$root/tmp"
    cp "$busybox" "$root/bin/busybox"
    for applet in $("$busybox" --list); do [ "$applet" = busybox ] || ln -s busybox "$root/bin/$applet"; done
    ln -s ../../bin/env "$root/usr/bin/env"
    "$here/finish-rootfs" "$root"
    pack "$root" "$1"
}

pack() { # FOLDER FILE: the same files give the same bytes, and belong to root except what the agent owns.
    (cd "$1" && tar c --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --format=gnu --exclude=./workspace .) >"$2"
    if [ -d "$1/workspace" ]; then
        (cd "$1" && tar r -f "$2" --mtime=@0 --owner=65532 --group=65532 --numeric-owner --format=gnu ./workspace)
    fi
}
