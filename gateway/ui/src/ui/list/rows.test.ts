import type { MouseEvent } from "react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { linkOf, openRow } from "../open-row";
import { between } from "./selection";
import { knownOrder, nextOrder, sortedBy } from "./sort";

describe("a range of rows", () => {
  const order = ["a", "b", "c", "d"];
  it("has both ends, in either direction", () => {
    expect(between(order, "b", "d")).toEqual(["b", "c", "d"]);
    expect(between(order, "d", "b")).toEqual(["b", "c", "d"]);
  });
  it("is the row alone where nothing was ticked before, or that row is gone", () => {
    expect(between(order, undefined, "c")).toEqual(["c"]);
    expect(between(order, "x", "c")).toEqual(["c"]);
  });
});

describe("a heading that sorts", () => {
  it("goes through its orders and ends at the list's own, which the address leaves out", () => {
    const started = ["-created_at", "created_at"];
    expect(nextOrder(started, "-created_at", "-created_at")).toBe("created_at");
    expect(nextOrder(started, "created_at", "-created_at")).toBe("");
    expect(nextOrder(started, "-cost", "-created_at")).toBe("");
    expect(nextOrder(["-cost"], "-created_at", "-created_at")).toBe("-cost");
    expect(nextOrder(["-cost"], "-cost", "-created_at")).toBe("");
  });
});

describe("the rows of a short list", () => {
  const rows = [
    { name: "box-10", size: 2 },
    { name: "box-9", size: undefined },
    { name: "attic", size: 1 },
    { name: "cellar", size: 2 },
  ];
  const keys = { name: (row: (typeof rows)[0]) => row.name, size: (row: (typeof rows)[0]) => row.size };
  const names = (by: string) => sortedBy(rows, by, keys).map(({ name }) => name);

  it("are in the order of the address, those without a value last in both directions", () => {
    expect(names("name")).toEqual(["attic", "box-9", "box-10", "cellar"]);
    expect(names("-name")).toEqual(["cellar", "box-10", "box-9", "attic"]);
    expect(names("size")).toEqual(["attic", "box-10", "cellar", "box-9"]);
    expect(names("-size")).toEqual(["box-10", "cellar", "attic", "box-9"]);
    expect(names("colour")).toEqual(rows.map(({ name }) => name));
  });

  it("have only the orders that the list knows", () => {
    expect(["-size", "name", "colour", "toString", "", undefined].map((by) => knownOrder(by, keys))).toEqual([
      "-size",
      "name",
      "",
      "",
      "",
      "",
    ]);
  });
});

describe("a press on a row", () => {
  afterEach(() => {
    document.body.replaceChildren();
    vi.restoreAllMocks();
  });
  const row = () => {
    document.body.innerHTML =
      '<div id="row"><a id="link" href="/runs/1">One</a><i id="text">words</i><button id="own">x</button></div>';
    return document.getElementById("row")!;
  };
  /** As the row's own handlers see it. */
  const press = (target: string, more: Partial<MouseEvent<HTMLElement>> = {}) =>
    ({
      target: document.getElementById(target),
      currentTarget: document.getElementById("row"),
      button: 0,
      ...more,
    }) as unknown as MouseEvent<HTMLElement>;
  it("follows the row's link, but leaves alone what has a meaning of its own", () => {
    row();
    expect(linkOf(press("text"))?.id).toBe("link");
    expect(linkOf(press("own"))).toBeUndefined();
    expect(linkOf(press("link")), "the link does it itself").toBeUndefined();
    expect(linkOf(press("text", { defaultPrevented: true }))).toBeUndefined();
  });
  it("does nothing at the end of a text selection", () => {
    row();
    getSelection()?.selectAllChildren(document.getElementById("text")!);
    expect(linkOf(press("text"))).toBeUndefined();
    getSelection()?.removeAllRanges();
    expect(linkOf(press("text"))?.id).toBe("link");
  });
  it("opens a tab with Ctrl, Cmd, Shift or the middle button", () => {
    row();
    const opened = vi.spyOn(window, "open").mockReturnValue(null);
    const followed = vi.fn((event: Event) => event.preventDefault());
    document.getElementById("link")!.addEventListener("click", followed);
    openRow.onClick(press("text"));
    expect([followed.mock.calls.length, opened.mock.calls.length]).toEqual([1, 0]);
    openRow.onClick(press("text", { ctrlKey: true }));
    openRow.onClick(press("text", { metaKey: true }));
    openRow.onAuxClick(press("text", { button: 1 }));
    openRow.onAuxClick(press("text", { button: 2 }));
    expect([followed.mock.calls.length, opened.mock.calls.length]).toEqual([1, 3]);
    expect(opened.mock.calls[0]?.[0]).toMatch(/\/runs\/1$/);
  });
});
