import { describe, expect, it } from "vitest";
import { cleared, readViews, sameFilters, withoutView, withView } from "./saved";

const view = (name: string, filters = {}) => ({ name, filters });

describe("saved views", () => {
  it("are read without what is not a view", () => {
    expect(readViews(null)).toEqual([]);
    expect(readViews("{")).toEqual([]);
    expect(readViews('{"name":"x"}')).toEqual([]);
    expect(
      readViews(
        '[null,1,{"name":2,"filters":{}},{"name":"x"},{"name":"a","filters":{"q":"b","n":3,"e":""}}]',
      ),
    ).toEqual([view("a", { q: "b" })]);
  });
  it("are the same when they ask for the same, in any order", () => {
    expect(sameFilters({ q: "a", state: "b" }, { state: "b", q: "a" })).toBe(true);
    expect(sameFilters({ q: "a" }, { q: "a", state: "b" })).toBe(false);
    expect(sameFilters({}, { q: "a" })).toBe(false);
  });
  it("of one name replace each other where they stand", () => {
    const all = [view("a"), view("b"), view("c")];
    expect(withView(all, view("d")).map(({ name }) => name)).toEqual(["a", "b", "c", "d"]);
    expect(withView(all, view("b", { q: "x" }))).toEqual([view("a"), view("b", { q: "x" }), view("c")]);
  });
  it("keep their place under a new name, and replace one that had it", () => {
    const all = [view("a"), view("b"), view("c")];
    expect(withView(all, view("z"), "b").map(({ name }) => name)).toEqual(["a", "z", "c"]);
    expect(withView(all, view("c", { q: "x" }), "a")).toEqual([view("c", { q: "x" }), view("b")]);
    expect(withoutView(all, "b").map(({ name }) => name)).toEqual(["a", "c"]);
  });
  it("hold only what narrows or sorts", () => {
    expect(cleared({ q: "", state: "failed", dialog: undefined })).toEqual({ state: "failed" });
  });
});
