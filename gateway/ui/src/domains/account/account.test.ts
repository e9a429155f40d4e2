import { describe, expect, it } from "vitest";
import { clientOf } from "./device";

const login = (device: string | null, more = {}) => clientOf({ kind: "login", label: null, device, ...more });
const MOZILLA = "Mozilla/5.0";

describe("what a session is signed in with", () => {
  it("names browsers and systems, and keeps what they said", () => {
    const chrome = `${MOZILLA} (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36`;
    expect(login(chrome)).toEqual({ text: "Chrome on Linux", raw: chrome });
    const told = {
      [`${MOZILLA} (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0.0.0`]:
        "Edge on Windows",
      [`${MOZILLA} (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Safari/605.1.15`]:
        "Safari on macOS",
      [`${MOZILLA} (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0`]: "Firefox on Linux",
      [`${MOZILLA} (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.0 Mobile/15E148 Safari/604.1`]:
        "Safari on iPhone",
      [`${MOZILLA} (Linux; Android 16) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36`]:
        "Chrome on Android",
    };
    for (const [agent, text] of Object.entries(told)) expect(login(agent).text).toBe(text);
  });

  it("tells the command line from a browser, with its machine where that is known", () => {
    expect(login("roost on desk")).toEqual({ text: "Command line (roost) on desk" });
    expect(login("roost/0.1.0 (desk)")).toEqual({ text: "Command line (roost) on desk" });
    expect(login("roost/0.1.0")).toEqual({ text: "Command line (roost)" });
    expect(login("desk", { kind: "cli" })).toEqual({ text: "Command line (roost) on desk" });
    expect(login(null, { kind: "cli" })).toEqual({ text: "Command line (roost)" });
    expect(login("roosterbrowser/1").text).toBe("roosterbrowser/1");
  });

  it("claims nothing of what named nothing, and shows unknown names as they are", () => {
    expect(login(null)).toEqual({ text: "Unknown device" });
    expect(login("curl/8.5.0")).toEqual({ text: "curl/8.5.0" });
    expect(login("x".repeat(200)).text).toHaveLength(61);
    expect(login("curl \u202E8").text).not.toContain("\u202E");
    expect(clientOf({ kind: "api", label: "nightly", device: null })).toEqual({ text: "Token: nightly" });
  });
});
