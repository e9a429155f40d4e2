import { renderToStaticMarkup } from "react-dom/server";
import { expect, it } from "vitest";
import { Problem } from "~/api/problem";
import { Failed } from "./problem";

const shown = (status: number) =>
  renderToStaticMarkup(
    <Failed
      error={new Problem({ code: "x", status, title: "It failed" })}
      retry={() => {}}
      gone="All runs"
    />,
  );

it("what is not there is not asked for again: a way back stands in its place", () => {
  expect(shown(404)).toContain("All runs");
  expect(shown(404)).not.toContain("Try again");
  expect(shown(500)).toContain("Try again");
  expect(shown(500)).not.toContain("All runs");
});
