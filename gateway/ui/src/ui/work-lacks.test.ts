import { expect, test } from "vitest";
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
