import { describe, expect, test } from "vitest";
import mock from "../../../test/mock/files.ts?raw";
import gateway from "../../../../src/edge/server/ui.rs?raw";
import viewer from "./document.ts?raw";
import { density, fitting, GAP, near, pageAt, placed, zoomed } from "./model";

test("the gateway and the mock allow the one policy of trusted types that the viewer makes", () => {
  const [, name] = /createPolicy\("([\w-]+)"/.exec(viewer) ?? [];
  for (const source of [gateway, mock]) expect(source).toMatch(`trusted-types ${name}"`);
});

describe("the pages of a PDF", () => {
  const { tops, height } = placed([100, 200, 100]);

  test("pages stand below each other with a gap around each", () => {
    expect(tops).toStrictEqual([GAP, 100 + 2 * GAP, 300 + 3 * GAP]);
    expect(height).toBe(400 + 4 * GAP);
  });

  test("the page at a place is the last that begins above it", () => {
    expect(pageAt(tops, 0)).toBe(1);
    expect(pageAt(tops, 100 + 2 * GAP)).toBe(2);
    expect(pageAt(tops, 10_000)).toBe(3);
  });

  test("pages more than one view away are not near", () => {
    const many = placed(Array.from({ length: 600 }, () => 1000)).tops;
    const [first, last] = near(many, 300_000, 700);
    expect(last - first).toBeLessThanOrEqual(3);
    expect(first).toBeGreaterThan(280);
  });

  test("the zoom goes in steps from wherever it is, and ends", () => {
    expect(zoomed(0.73, 1)).toBe(0.8);
    expect(zoomed(0.73, -1)).toBe(0.67);
    expect(zoomed(0.99, 1)).toBe(1.25);
    expect(zoomed(3, 1)).toBe(3);
    expect(zoomed(0.1, -1)).toBe(0.1);
  });

  test("a page fits a narrow column, and does not fill a wide one", () => {
    expect(fitting(390, 595) * 595 * (96 / 72)).toBeCloseTo(390 - 2 * GAP);
    expect(fitting(3000, 595)).toBe(1.25);
    expect(fitting(0, 595)).toBeGreaterThan(0);
  });

  test("a large page is drawn coarser", () => {
    expect(density(600, 800, 2)).toBe(2);
    const ratio = density(6000, 8000, 2);
    expect(6000 * 8000 * ratio * ratio).toBeCloseTo(12_000_000);
  });
});
