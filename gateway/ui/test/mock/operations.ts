// What was asked of the mock's sandboxes, as the gateway tells it: a command's beginning and end are the same moment in
// its rows, ids do not grow with time, and a tool of an agent is run by a program of Roost's own.
import { ago, newId } from "./ids.ts";
import type { Claw, Operation } from "./schema.ts";

const WRAPPER = ["/bin/sh", "-c", 'command -v python3 >/dev/null 2>&1 && exec python3 -I -S -c "$1"', "sh"];
const PROGRAM = "import base64, os, sys\n\nasked = base64.b64decode(sys.argv[1])";

export function makeOperation(
  agent: Claw,
  seconds: number,
  took_ms: number | null,
  more: Partial<Operation> = {},
): Operation {
  const at = ago(seconds);
  const operation: Operation = {
    id: newId(),
    kind: "sb_exec",
    state: "done",
    owner_id: agent.id,
    created_at: at,
    started_at: at,
    finished_at: at,
    duration_ms: took_ms,
    request: { argv: ["/bin/sh", "-c", "true"], cwd: null, env: [], tty: null, deadline_s: 600 },
  };
  return { ...operation, ...more };
}

const typed = (line: string) => ({
  request: { argv: ["/bin/sh", "-c", line], env: [], deadline_s: 600 },
  command: line,
});
const tool = (
  name: string,
  command: string,
  argv = ["python3", "-I", "-S", "-c", PROGRAM, "eyJwYXRoIjoi"],
) => ({
  request: { argv, env: [], deadline_s: 60 },
  tool: name,
  command,
});

/** In no order of time, as the gateway's ids have none. */
export const makeOperations = (mason: Claw, scribe: Claw): Operation[] => [
  makeOperation(mason, 900, 600_012, {
    ...typed("cargo bench"),
    state: "failed",
    detail: "the deadline of 600 s passed; the whole process tree was killed",
  }),
  makeOperation(mason, 40, 1_840, {
    ...tool("shell", "cargo test --workspace", [...WRAPPER, PROGRAM, "cargo test --workspace"]),
    exit_code: 0,
  }),
  makeOperation(scribe, 640, 467, { kind: "sb_provision", request: { image: "roost-agent:dev", epoch: 1 } }),
  makeOperation(mason, 70, 31, { ...typed("ls /nope; exit 3"), exit_code: 3 }),
  makeOperation(mason, 55, 22, { ...tool("read_file", "read_file src/lib.rs"), exit_code: 0 }),
  makeOperation(mason, 120, 4_100, { ...typed("sleep 1000"), state: "cancelled" }),
  makeOperation(mason, 200, null, {
    ...typed("make release"),
    state: "lost",
    detail: "The machine left and did not bring the result back.",
  }),
  // Of a gateway that did not tell yet what a command was and how it ended.
  makeOperation(mason, 1200, 60, { request: tool("shell", "", [...WRAPPER, PROGRAM, "make"]).request }),
];
