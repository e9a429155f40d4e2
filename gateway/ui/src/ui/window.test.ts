import { describe, expect, it } from "vitest";
import { visible, WHOLE } from "./window";

describe("rows in view", () => {
  it("are all of them in a short list", () => expect(visible(WHOLE, 50, -9_000, 800)).toEqual([0, WHOLE]));
  it("are those in view and some around in a long one", () => {
    expect(visible(1_000, 50, 200, 800)).toEqual([0, 20]);
    expect(visible(1_000, 50, -5_000, 800)).toEqual([92, 128]);
    expect(visible(1_000, 50, -49_500, 800)).toEqual([980, 1_000]);
  });
  it("are never none, however far away the list is", () => {
    const [first, last] = visible(1_000, 50, -900_000, 800);
    expect(last).toBeGreaterThan(first);
    expect(last).toBeLessThanOrEqual(1_000);
  });
});
