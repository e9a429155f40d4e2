// The snapshots of sandboxes' files: what the mock keeps of each, and the answers that come from it.
import { must, Refusal } from "./refusal.ts";
import { ago, newId } from "./ids.ts";
import type { Schemas } from "./schema.ts";
import type { State } from "./state.ts";

type Snapshot = Schemas["Snapshot"];

/** A path with its content; a link has its target instead. */
export type Files = Record<string, Buffer | { target: string }>;

export interface KnownSnapshot {
  snapshot: Snapshot;
  files: Files;
}

/** A red and a blue half, 64 by 64 pixels. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAEAAAABACAIAAAAlC+aJAAAAUklEQVR42u3PMQ0AAAgDMCRNEpKRhAQuviY10JrkVXpelYCAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgICAgIDAZQEoK4EtoovDiQAAAABJRU5ErkJggg==",
  "base64",
);

const CODE = Array.from({ length: 40 }, (_, n) => `fn step_${n}() -> u32 {\n    ${n}\n}\n`).join("\n");

/** Three snapshots of one workspace: the newest first. */
export function sampleFiles(): Files[] {
  const first: Files = {
    "README.md": Buffer.from("# Ledger\n\nCounts what comes in.\n"),
    "src/lib.rs": Buffer.from(CODE),
    "src/old.rs": Buffer.from("pub fn gone() {}\n"),
    "docs/logo.png": PNG,
    current: { target: "src/lib.rs" },
  };
  const second: Files = {
    ...first,
    "src/lib.rs": Buffer.from(CODE.replace("    7\n", "    70\n").replace("    30\n", "    31\n")),
    "src/parts/ledger.rs": Buffer.from("pub struct Ledger;\n\nimpl Ledger {}\n"),
    "data/table.bin": Buffer.from([0, 1, 2, 3, 255]),
    "empty.txt": Buffer.alloc(0),
  };
  const { "src/old.rs": _, ...kept } = second;
  const third: Files = {
    ...kept,
    "README.md": Buffer.from("# Ledger\n\nCounts what comes in and goes out.\n"),
  };
  return [third, second, first];
}

export const sizeOf = (files: Files): Pick<Snapshot, "files" | "bytes"> => {
  const contents = Object.values(files).filter((one) => Buffer.isBuffer(one));
  return { files: contents.length, bytes: contents.reduce((sum, one) => sum + one.length, 0) };
};

/** A snapshot of these files. */
export function makeKnown(files: Files, more: Partial<Snapshot> = {}): KnownSnapshot {
  const id = newId();
  const snapshot: Snapshot = {
    id,
    digest: id.replaceAll("-", "").padEnd(64, "c").split("").toReversed().join(""),
    ...sizeOf(files),
    taken_at: ago(120),
    left_out: ["node_modules: can be made again"],
    uploaded: true,
    sandbox_id: newId(),
    node_id: "local",
    ...more,
  };
  return { snapshot, files };
}

/** The history of a sandbox that has `newest`. */
export function makeHistory(newest: Snapshot): KnownSnapshot[] {
  const [third, second, first] = sampleFiles();
  const { node_id, sandbox_id } = newest;
  Object.assign(newest, sizeOf(third));
  return [
    { snapshot: newest, files: third },
    makeKnown(second, { taken_at: ago(1500), node_id, sandbox_id }),
    makeKnown(first, { taken_at: ago(93_000), node_id }),
  ];
}

export const historyOf = (state: State, owner: string): KnownSnapshot[] => state.snapshots.get(owner) ?? [];

/** A snapshot whose files the gateway has. */
export function known(state: State, owner: string, id: string): KnownSnapshot {
  const found = must(
    historyOf(state, owner).find(({ snapshot }) => snapshot.id === id),
    "There is no such snapshot",
  );
  if (!found.snapshot.uploaded)
    throw new Refusal(409, "conflict", "This conflicts with the present state", {
      detail:
        "This snapshot is only on its machine. Its files can be shown when the machine has sent it to the gateway.",
    });
  return found;
}

/** Most entries of one answer, as in the gateway. */
const MOST = 5_000;

export function folderOf(files: Files, path: string): Schemas["FileList"] {
  const begin = path === "" ? "" : `${path}/`;
  const entries = new Map<string, Schemas["FileEntry"]>();
  for (const [name, content] of Object.entries(files)) {
    if (!name.startsWith(begin)) continue;
    const [own, ...rest] = name.slice(begin.length).split("/");
    const base = { name: own, modified_at: ago(4000), mode: "0644" };
    if (rest.length > 0)
      entries.set(own, { ...base, kind: "folder", mode: "0755", bytes: null, target: null });
    else if (Buffer.isBuffer(content))
      entries.set(own, { ...base, kind: "file", bytes: content.length, target: null });
    else entries.set(own, { ...base, kind: "link", mode: "0777", bytes: null, target: content.target });
  }
  if (path !== "" && entries.size === 0) throw new Refusal(404, "not-found", "There is no such file");
  return { entries: [...entries.values()].slice(0, MOST), more: entries.size > MOST };
}

export function fileOf(files: Files, path: string): Buffer {
  const content = must(files[path], "There is no such file");
  if (!Buffer.isBuffer(content)) throw new Refusal(400, "validation", "The request is not valid");
  return content;
}

export function changesOf(before: Files, after: Files): Schemas["FileChanges"] {
  const size = (content: Files[string] | undefined) => (Buffer.isBuffer(content) ? content.length : null);
  const text = (content: Files[string] | undefined) =>
    content && (Buffer.isBuffer(content) ? content.toString("base64") : content.target);
  const paths = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const changes = paths
    .filter((path) => text(before[path]) !== text(after[path]))
    .map((path) => ({
      path,
      difference: !before[path]
        ? ("added" as const)
        : !after[path]
          ? ("removed" as const)
          : ("changed" as const),
      bytes_before: size(before[path]),
      bytes_after: size(after[path]),
    }));
  return { changes: changes.slice(0, MOST), more: changes.length > MOST };
}
