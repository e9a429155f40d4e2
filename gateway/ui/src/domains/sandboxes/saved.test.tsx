import { renderToStaticMarkup as render } from "react-dom/server";
import { describe, expect, it } from "vitest";
import type { Sandbox, Snapshot } from "~/api/types";
import { filesOf } from "~/ui/sandbox-words";
import { placeOf, Saved } from "./saved";

const snapshot: Snapshot = {
  id: "s1",
  digest: "0a".repeat(32),
  files: 1204,
  bytes: 4096,
  taken_at: new Date(Date.now() - 60_000).toISOString(),
  left_out: ["node_modules: can be made again"],
  uploaded: false,
  sandbox_id: "b1",
  node_id: "n1",
};

const sandbox = { node_id: "n1", node_name: "kitchen", state: "running", snapshot } as Sandbox;

describe("saved files", () => {
  it("number has its noun", () => {
    expect(filesOf({ files: 1 })).toBe("1 file");
    expect(filesOf(snapshot)).toBe("1,204 files");
  });

  it("machine that alone has the files is named", () => {
    expect(placeOf(snapshot, sandbox)).toBe("only kitchen has them");
    expect(placeOf({ ...snapshot, uploaded: true }, sandbox)).toBe("any machine can restore them");
    expect(placeOf({ ...snapshot, node_id: "n2" }, sandbox)).toBe(
      "only the machine of an earlier sandbox has them",
    );
  });

  it("page says what is saved, what is not, and why", () => {
    const text = render(
      <Saved
        sandbox={{
          ...sandbox,
          restored_from: { digest: "0b", taken_at: snapshot.taken_at },
          snapshot_problem: "the disk is full",
          detail: "The newest files are on attic.",
        }}
      />,
    );
    for (const part of [
      "1,204 files",
      "1 item is not saved",
      "node_modules: can be made again",
      "This sandbox started with the files of",
      "The files could not be saved: the disk is full.",
      "The newest files are on attic.",
    ])
      expect(text).toContain(part);
  });

  it("sandbox without a snapshot says so", () => {
    expect(render(<Saved sandbox={{ ...sandbox, snapshot: null }} />)).toContain("No files are saved yet");
  });
});
