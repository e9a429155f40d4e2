import { expect, test, vi } from "vitest";
import { fromInput } from "./picked";
import { send } from "./send";

const file = (name: string, path = "") =>
  Object.assign(new File(["one"], name), { webkitRelativePath: path }) as File;

test("a folder goes without its name and without .git", () => {
  const picked = fromInput([
    file("b.rs", "shop/src/b.rs"),
    file("a.txt", "shop/a.txt"),
    file("config", "shop/.git/config"),
    file("ci.yml", "shop/.github/ci.yml"),
  ]);
  expect(picked?.name).toBe("shop");
  const folder = picked && "folder" in picked.what ? picked.what.folder : [];
  expect(folder.map(({ path }) => path)).toStrictEqual([".github/ci.yml", "a.txt", "src/b.rs"]);
});

test("one archive stays an archive, and several files do not", () => {
  const one = fromInput([file("shop.tar.gz")]);
  expect(one?.name).toBe("shop");
  expect(one?.what).toHaveProperty("archive");
  expect(fromInput([file("a.zip"), file("b.txt")])?.what).toHaveProperty("folder");
  expect(fromInput([])).toBe(undefined);
});

test("what is stopped before it begins is not sent", async () => {
  const opened = vi.spyOn(XMLHttpRequest.prototype, "open");
  const signal = AbortSignal.abort();
  await expect(send("/api/uploads", new Blob(), { progress: () => {}, signal })).rejects.toThrow(/abort/u);
  expect(opened).not.toHaveBeenCalled();
});
