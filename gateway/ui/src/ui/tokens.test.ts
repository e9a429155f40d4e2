import { describe, expect, it } from "vitest";
import css from "./tokens.css?raw";

const GROUNDS = ["canvas", "sunken", "surface", "raised"];
const TEXTS = ["fg", "fg-2", "fg-3", "accent", "waiting", "failed", "done", "idle", "info", "offline"];

function tokens(theme: string): Map<string, string> {
  const block = new RegExp(`\\[data-theme="${theme}"\\] \\{([^}]*)\\}`).exec(css)?.[1] ?? "";
  return new Map(
    [...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name, value]) => [name ?? "", value ?? ""]),
  );
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string | undefined, b: string | undefined): number {
  const [high = 0, low = 0] = [luminance(a ?? ""), luminance(b ?? "")].toSorted((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

describe.each(["dark", "light"])("%s theme", (theme) => {
  const token = tokens(theme);
  it.each(TEXTS)("%s is readable on every ground", (name) => {
    for (const ground of GROUNDS)
      expect(contrast(token.get(name), token.get(ground)), `on ${ground}`).toBeGreaterThanOrEqual(4.5);
  });
  it("buttons are readable", () => {
    expect(contrast(token.get("on-accent"), token.get("accent"))).toBeGreaterThanOrEqual(4.5);
    expect(contrast(token.get("on-failed"), token.get("failed"))).toBeGreaterThanOrEqual(4.5);
  });
  it("edges of controls can be seen", () => {
    for (const ground of GROUNDS)
      expect(contrast(token.get("line-strong"), token.get(ground)), `on ${ground}`).toBeGreaterThanOrEqual(3);
  });
});
