import { describe, expect, it } from "vitest";
import { Problem } from "~/api/problem";
import { Clashed, sendFrom } from "./edit";

interface Thing {
  version: number;
  name: string;
}

const refused = () => new Problem({ code: "precondition-failed", status: 412, title: "Changed" });
const unchanged = (a: Thing, b: Thing) => a.name === b.name;

/** A gateway that keeps one thing and takes a change of its own version only. */
function gateway(now: Thing) {
  const sent: number[] = [];
  return {
    sent,
    read: () => Promise.resolve(now),
    send: (from: Thing) => {
      sent.push(from.version);
      return from.version === now.version ? Promise.resolve("saved") : Promise.reject(refused());
    },
  };
}

describe("a change of a version", () => {
  it("is sent once more when no field of the form was changed meanwhile", async () => {
    const { read, send, sent } = gateway({ version: 9, name: "a" });
    expect(await sendFrom({ version: 1, name: "a" }, { read, unchanged }, send)).toBe("saved");
    expect(sent).toStrictEqual([1, 9]);
  });

  it("clashes when somebody changed a field of the form", async () => {
    const { read, send, sent } = gateway({ version: 2, name: "theirs" });
    await expect(sendFrom({ version: 1, name: "a" }, { read, unchanged }, send)).rejects.toBeInstanceOf(
      Clashed,
    );
    expect(sent).toStrictEqual([1]);
  });

  it("is not sent at all where the gateway would not compare it", async () => {
    const { read, send, sent } = gateway({ version: 2, name: "theirs" });
    const ways = { read, unchanged, unversioned: true };
    await expect(sendFrom({ version: 1, name: "a" }, ways, send)).rejects.toBeInstanceOf(Clashed);
    expect(sent).toStrictEqual([]);
  });

  it("does not ask for ever", async () => {
    let version = 1;
    const read = () => Promise.resolve({ version: (version += 1), name: "a" });
    let sent = 0;
    const send = () => {
      sent += 1;
      return Promise.reject(refused());
    };
    await expect(sendFrom({ version: 1, name: "a" }, { read, unchanged }, send)).rejects.toMatchObject({
      code: "precondition-failed",
    });
    expect(sent).toBe(3);
  });
});
