import { expect, test } from "vitest";
import { imageLack, lacksEngine } from "./image-lacks";
import { unpriced } from "./price-lacks";
import { lacksModel } from "./work-lacks";

const none: { is_default: boolean }[] = [];
const one = { model_binding: "openai/x" };

test("an agent lacks a model where neither it nor the workspace has one", () => {
  expect(lacksModel({}, none)).toBe(true);
  expect(lacksModel(one, none)).toBe(false);
  expect(lacksModel({}, [{ is_default: false }])).toBe(true);
  expect(lacksModel({}, [{ is_default: true }])).toBe(false);
});

test("a team lacks a model where one of its members has none", () => {
  expect(lacksModel({ members: [one, {}] }, none)).toBe(true);
  expect(lacksModel({ members: [one, one] }, none)).toBe(false);
  expect(lacksModel({ ...one, members: [{}] }, none)).toBe(false);
  expect(lacksModel({ members: [{}] }, [{ is_default: true }])).toBe(false);
});

test("an image is missing where the machine reports that it cannot use it", () => {
  const images = [
    { name: "rust", reference: "r:rust", is_default: true },
    { name: "node", reference: "r:node", is_default: false, remedy: "Build it." },
  ];
  expect(imageLack(images, null)).toBeUndefined();
  expect(imageLack(images, "node")).toBe("Build it.");
  expect(imageLack(images, "cobol")).toBe("This deployment has no image `cobol`.");
  const on = (more: object) => ({
    name: "m",
    images: [{ reference: "r:node", state: "missing" as const, ...more }],
  });
  expect(imageLack(images, "node", on({}))).toBe("On the machine m, `r:node` is not there.");
  expect(imageLack(images, "node", on({ state: "unfit", detail: "No shell." }))).toBe(
    "On the machine m, `r:node` cannot be a sandbox. No shell.",
  );
  expect(imageLack(images, "node", on({ fetch: { done_bytes: 1, total_bytes: 2 } }))).toBe(
    "The machine m fetches `r:node` from the gateway now.",
  );
  expect(imageLack(images, "node", on({ state: "unknown" }))).toBeUndefined();
  // It reports nothing about the default image.
  expect(imageLack(images, null, on({}))).toBeUndefined();
});

test("the gateway's own engine is missing where it knows the state of no image", () => {
  expect(lacksEngine([{ state: "unknown" }, { state: "unknown" }])).toBe(true);
  expect(lacksEngine([{ state: "unknown" }, { state: "missing" }])).toBe(false);
  expect(lacksEngine([])).toBe(false);
});

test("a model works without a price where those who work use it", () => {
  const price = { input_microusd: 0, output_microusd: 0 };
  const models = [
    { name: "a/free", is_default: true, price },
    { name: "b/dear", is_default: false },
  ];
  expect(unpriced(models, undefined, "")).toEqual([]);
  expect(unpriced(models, { model_binding: "b/dear" }, "")).toEqual(["b/dear"]);
  expect(unpriced(models, { model_binding: "b/dear" }, "a/free")).toEqual([]);
  expect(unpriced(models, { model_binding: "scripted" }, "")).toEqual([]);
  expect(unpriced(models, { members: [{}, { model_binding: "b/dear" }] }, "")).toEqual(["b/dear"]);
  expect(unpriced(models, { model_binding: "b/dear", members: [{ model_binding: "a/free" }] }, "")).toEqual(
    [],
  );
});
