import { describe, expect, it } from "vitest";
import { visible } from "./visible";

describe("characters that nobody sees", () => {
  it.each([
    ["\u202Egpj.exe\u202C", "\\u{202e}gpj.exe\\u{202c}"],
    ["a\u200Bb\uFEFF\u00AD", "a\\u{200b}b\\u{feff}\\xad"],
    ["\u001b[31mred\u0007", "\\x1b[31mred\\x07"],
    ["x\u{E0041}\u{E0042}", "x\\u{e0041}\\u{e0042}"],
    ["\u2066a\u2069 \u2028\u3164", "\\u{2066}a\\u{2069} \\u{2028}\\u{3164}"],
    ["a\uFE0F\uFE0Fb\uFE01", "a\uFE0F\\u{fe0f}b\\u{fe01}"],
    ["pass\u200Dword", "pass\\u{200d}word"],
    ["\u{1F600}\u200Dsecret", "\u{1F600}\\u{200d}secret"],
  ])("%j is shown as %s", (text, shown) => expect(visible(text)).toBe(shown));

  it.each(["plain\n\ttext", "قهوه‌خانه", "क्‍ष", "👩‍🔬 and 🏳️‍🌈 ❤️ 1️⃣", "naïve – “quoted” 日本語"])(
    "%j stays as it is",
    (text) => expect(visible(text)).toBe(text),
  );

  it("takes no long time, however many there are", () => {
    expect(visible("\u200D".repeat(300_000))).toHaveLength(300_000 * 8);
  });
});
