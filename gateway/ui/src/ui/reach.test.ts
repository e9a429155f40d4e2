import { describe, expect, it } from "vitest";
import { loopbackHost } from "./reach";

describe("an address for others", () => {
  it("is known to lead nowhere when it means this machine", () => {
    for (const host of [
      "127.0.0.1:7667",
      "127.1.2.3",
      "localhost:7667",
      "roost.localhost",
      "[::1]:7667",
      "0.0.0.0:7667",
    ])
      expect(loopbackHost(`http://${host}/invitation#rit_x`)).toBe(host);
    expect(loopbackHost("roostd join --url http://127.0.0.1:7667 --code j-1")).toBe("127.0.0.1:7667");
    expect(loopbackHost("http://[::ffff:127.0.0.1]/")).toBe("[::ffff:7f00:1]");
  });

  it("is left alone otherwise", () => {
    for (const text of [
      "https://roost.example/invitation#rit_x",
      "roostd join --url http://192.168.1.4:7667 --code j-1",
      "https://127.0.0.1.example.com",
      "https://localhost.example.com",
      "no address at all",
      "",
    ])
      expect(loopbackHost(text)).toBeUndefined();
  });
});
