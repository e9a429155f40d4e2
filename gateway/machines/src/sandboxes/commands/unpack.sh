# Unpacks stdin beside the files of the workspace, and moves the result into the folder only when it is whole.
# $1: the folder. $2: what happens to files that exist, `keep` or `replace`.
into=$1 how=$2 failed=0 stage=/workspace/.roost-upload-$$

remove() {
    chmod -R u+rwX "$1" 2>/dev/null
    rm -rf "$1"
}
trap 'remove "$stage"' EXIT
trap 'exit 1' HUP INT TERM

exists() { [ -e "$1" ] || [ -L "$1" ]; }
is_folder() { [ -d "$1" ] && [ ! -L "$1" ]; }

# Moves the entries of folder $1 into folder $2, which exists.
place() {
    for entry in "$1"/* "$1"/.[!.]* "$1"/..?*; do
        exists "$entry" || continue
        target=$2/${entry##*/}
        # A folder that cannot be written cannot be moved either.
        if is_folder "$entry" && [ ! -w "$entry" ]; then chmod u+w "$entry"; fi
        if is_folder "$entry" && [ -d "$target" ]; then
            place "$entry" "$target"
        elif exists "$target" && [ "$how" = keep ]; then
            continue
        elif is_folder "$target"; then
            echo "$target is a folder" >&2
            failed=1
        else
            # mv would follow a link to a folder.
            if exists "$target"; then rm -f "$target"; fi
            mv -f "$entry" "$target" || failed=1
        fi
    done
}

# What an upload that was killed has left.
for old in /workspace/.roost-upload-*; do
    if is_folder "$old" && ! kill -0 "${old##*-}" 2>/dev/null; then remove "$old"; fi
done
mkdir -p "$into" && mkdir "$stage" && tar -x -o -C "$stage" -f - || exit 1
place "$stage" "$into"
exit "$failed"
