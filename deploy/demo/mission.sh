#!/usr/bin/env bash
# The demonstration of a mission: research, coding, a benchmark and a security scan on the small repository demo/tally, which
# has a wrong function, a slow one and a key in a script. Called by `make demo MISSION=1`, and by a test.
#
#   deploy/demo/mission.sh REPOSITORY_ID FOLDER [MACHINE_ID]
#
# Works on the machine, and without one where the workspace places its sandboxes.
# Uses the command line `roost` in $ROOST, signed in. Writes the report and the artifacts of the mission into the new folder.
# It believes the artifacts only. The exit code is 0 when the mission completed, the benchmark became faster, the scan
# reported the key, and the report is there as PDF. It is 3 when the mission did not complete, and 1 when something else is
# missing.
. "$(dirname "${BASH_SOURCE[0]}")/../shell.sh"
roost=${ROOST:?name the program roost in ROOST}
[ $# = 2 ] || [ $# = 3 ] || die "usage: deploy/demo/mission.sh REPOSITORY_ID FOLDER [MACHINE_ID]"
repository=$1 folder=$2
place=()
if [ $# = 3 ]; then place=(--node "$3"); fi
[ ! -e "$folder" ] || die "$folder exists; name a new folder"
secret=scripts/publish.sh

say "a mission: research, coding, benchmark and security scan"
mission=$("$roost" mission create "The tests of tally fail, and counting is slow. Mend both, and say what else is wrong." \
    --title "Demonstration $(date +%H:%M:%S)" --kind full_cycle --research codebase_research --coding rust_sdlc \
    --repo "$repository" "${place[@]}" --model scripted --json)
id=$(jq -r .id <<<"$mission")
"$roost" mission plan "$id" >&2
if [ -n "${ROOST_DEMO_PAGE:-}" ]; then detail "also to be seen at $ROOST_DEMO_PAGE/missions/$id"; fi

say "the mission at work"
ended=0
"$roost" mission launch "$id" --watch >&2 || ended=$?
"$roost" mission export "$id" "$folder" >&2
pdf=yes
"$roost" mission report "$id" --pdf "$folder/report.pdf" >&2 || pdf=
if [ "$ended" != 0 ]; then
    "$roost" mission show "$id" --json | jq -r '.phase_details[] | select(.status == "failed") | "\(.kind): \(.reason)"' >&2
    warn "the mission did not complete; what it left is in $folder"
    exit "$ended"
fi

say "what it left, in $folder"
lacks=0
measured=$(jq -s 'first(.[] | select(.comparison?)) // empty' "$folder"/*-benchmark.json)
faster=$(jq -r '.comparison.rows[]? | select(.verdict == "improvement")
    | "\(.name): \(.before.median / .after.median * 10 | round / 10) times as fast as before"' <<<"$measured")
if [ -n "$faster" ]; then detail "$faster"; else
    warn "the benchmark did not become faster"
    lacks=1
fi
found=$(jq -rs --arg file "$secret" '[.[] | .open? // [] | .[] | select(.file == $file)][0] // empty
    | "\(.severity): \(.title // .message // .rule) in \(.file), line \(.line)"' "$folder"/*-security.json)
if [ -n "$found" ]; then detail "$found"; else
    warn "the scan did not report the key in $secret"
    lacks=1
fi
if "$roost" mission show "$id" --json | jq -e '.phase_details | length == 4 and all(.[]; .has_card)' >/dev/null; then
    detail "a summary card of each phase"
else
    warn "a phase has no summary card"
    lacks=1
fi
if [ -n "$pdf" ]; then detail "$folder/report.pdf"; else
    warn "the report was not made as PDF; the reason is above"
    lacks=1
fi
[ "$lacks" = 0 ] || exit 1
