import { act } from "preact/test-utils";
import { createRoot } from "react-dom/client";
import { expect, it } from "vitest";
import { SecretField } from "./secret-field";

const SOURCES = import.meta.glob<string>(["../**/*.tsx", "!../**/*.test.tsx"], {
  query: "?raw",
  import: "default",
  eager: true,
});

it("the field of a secret refuses spell checking", () => {
  const box = document.createElement("div");
  const root = createRoot(box);
  act(() => root.render(<SecretField label="Key" />));
  expect(box.querySelector("input")?.getAttribute("spellcheck")).toBe("false");
  act(() => root.unmount());
});

it("a field refuses spell checking in a word, because Preact omits an attribute that is false", () => {
  expect(Object.keys(SOURCES).length).toBeGreaterThan(100);
  const falsy = Object.keys(SOURCES).filter((path) => SOURCES[path]?.includes("spellCheck={"));
  expect(falsy).toEqual([]);
});
