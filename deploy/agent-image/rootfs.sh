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

recipe_file() { # RECIPE
    [ -f "$here/recipes/$1" ] || die "there is no recipe $1; there are: $(cd "$here/recipes" && echo *)"
    printf '%s\n' "$here/recipes/$1"
}

recipe_says() { # RECIPE KEY
    sed -n "s/^$2: *//p" "$(recipe_file "$1")" | head -n 1
}

# The recipe and those that it is built upon, the lowest first.
chain() { # RECIPE
    local below
    below=$(recipe_says "$1" from)
    if [ -n "$below" ]; then chain "$below"; fi
    printf '%s\n' "$1"
}

packages() { # RECIPE SUITE
    local file
    file=$(recipe_file "$1")
    sed -e '/^#/d' -e '/^[[:space:]]*$/d' -e '/:/d' "$file"
    if grep -q "^$2:" "$file"; then sed -n "s/^$2: *//p" "$file"; else sed -n 's/^\*: *//p' "$file"; fi | tr ' ' '\n'
}

# The files that a recipe's layer holds besides Debian's packages, and their names: they are of the layer's key.
extras() { # RECIPE
    local name
    for name in $(recipe_says "$1" python); do printf '%s\n' "$here/python/$name.txt" "$here/python-in"; done
    if [ -n "$(recipe_says "$1" python)" ]; then find "$here/semgrep" -type f | LC_ALL=C sort; fi
    for name in $(recipe_says "$1" npm); do printf '%s\n' "$here/npm/$name.txt" "$here/npm/$name" "$here/npm-in"; done
}

# Fetches the Python programs of a recipe as files: on this machine, so that its index and proxies are used, and each file by
# its hash.
wheels() { # RECIPE FOLDER
    local name pip=(python3 -m pip) platform options=() machine
    if ! python3 -m pip --version >/dev/null 2>&1; then
        python3 -m venv "$work/pip" >&2 || die "python3-venv is missing: apt-get install python3-venv"
        pip=("$work/pip/bin/pip")
    fi
    machine=$(uname -m)
    for platform in 34 31 28 27 26 24 17 12 5; do options+=(--platform "manylinux_2_${platform}_$machine"); done
    for platform in manylinux2014 manylinux2010 manylinux1 linux; do options+=(--platform "${platform}_$machine"); done
    case $(suite) in
    bookworm) options+=(--python-version 3.11) ;;
    trixie) options+=(--python-version 3.13) ;;
    *) die "the recipe $1 is built for Debian bookworm and trixie, not $(suite)" ;;
    esac
    for name in $(recipe_says "$1" python); do
        say "the Python packages of $name, from its index"
        "${pip[@]}" download --quiet --disable-pip-version-check --no-input --only-binary :all: --implementation cp "${options[@]}" \
            --require-hashes --no-deps -r "$here/python/$name.txt" -d "$2" >&2 ||
            die "the packages of $name could not be fetched; try again when the Python package index can be reached"
    done
}

# Fetches a program of the npm registry as one archive, by its hash. npm knows the registry and the proxies of this machine.
npm_archive() { # NAME FILE
    local version hash
    have npm || die "npm is missing: deploy/setup.sh run installs it"
    read -r version hash <"$here/npm/$1.txt"
    say "$1 $version, from the npm registry"
    (cd "$work" && npm pack --silent --ignore-scripts "$1@$version" </dev/null >/dev/null) ||
        die "$1 could not be fetched; try again when the npm registry can be reached"
    mv "$work/$1-$version.tgz" "$2"
    printf '%s  %s\n' "$hash" "$2" | sha512sum --quiet --check - >&2 || die "the archive of $1 does not have the hash that $here/npm/$1.txt names"
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

# One layer: a whole root file system for a recipe without `from`, otherwise what the recipe changes in those below it.
recipe_layer() { # RECIPE FILE LAYER-BELOW...
    local recipe=$1 file=$2 release include proxy options=() variant=minbase below
    shift 2
    have mmdebstrap || die "mmdebstrap is missing: deploy/setup.sh run installs it"
    release=$(suite)
    include=$(packages "$recipe" "$release" | paste -sd,)
    sources "$release" >"$work/sources.list"
    for proxy in http https; do
        proxy="Acquire::$proxy::Proxy"
        eval "$(apt-config shell value "$proxy")"
        # shellcheck disable=SC2154 # set by the line above
        if [ -n "${value:-}" ]; then options+=(--aptopt="$proxy \"$value\""); fi
        value=''
    done
    if [ $# -gt 0 ]; then
        variant=custom
        # `tar-in` is mmdebstrap's own: it also reads the file for a root that is one only in its user namespace.
        for below in "$@"; do options+=(--setup-hook="tar-in $below /"); done
        options+=(--setup-hook="$here/layer begin \"\$1\"")
    fi
    if [ -n "$(recipe_says "$recipe" python)" ]; then
        mkdir "$work/wheels"
        wheels "$recipe" "$work/wheels"
        for below in $(recipe_says "$recipe" python); do options+=(--customize-hook="$here/python-in \"\$1\" $below $work/wheels $here"); done
    fi
    for below in $(recipe_says "$recipe" npm); do
        npm_archive "$below" "$work/$below.tgz"
        options+=(--customize-hook="$here/npm-in \"\$1\" $below $work/$below.tgz $here")
    done
    say "root file system of $recipe: Debian $release with $(packages "$recipe" "$release" | wc -l) packages (about a minute, then cached)"
    [ -z "$include" ] || options+=(--include="$include")
    options+=(--customize-hook="$here/finish-rootfs \"\$1\"")
    [ $# = 0 ] || options+=(--skip=cleanup/apt --customize-hook="$here/layer end \"\$1\"")
    # No documentation or translations: nobody reads them in a sandbox, and they are a fifth of the bytes.
    SOURCE_DATE_EPOCH=$(lists_epoch) mmdebstrap --quiet --variant="$variant" --architectures="$arch" \
        --aptopt='Acquire::Retries "3"' \
        --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/man/*' \
        --dpkgopt='path-exclude=/usr/share/info/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' \
        --dpkgopt='path-exclude=/usr/share/lintian/*' \
        --dpkgopt='path-exclude=/usr/bin/*lto-dump*' \
        "${options[@]}" \
        "$release" "$file" "$([ -s "$work/sources.list" ] && printf %s "$work/sources.list")" >&2 ||
        die "the root file system of $recipe could not be built; try again with a working apt-get update"
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
