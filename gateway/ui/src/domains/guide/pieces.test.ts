import { describe, expect, it } from "vitest";
import { FILES, GUIDES } from "./guides";
import { piecesOf } from "./pieces";
import { PICTURES } from "./pictures";

const TEXTS = import.meta.glob<string>("../../../../../deploy/guide/*.md", {
  query: "?raw",
  import: "default",
  eager: true,
});

describe("guides on the page", () => {
  it("are texts with pictures between them, and links to each other", () => {
    const text =
      "# A\n\nSee [models](models.md), [glossary](no-such.md).\n\n![A run](../../gateway/ui/pictures/run-live.png)\n\nEnd.";
    expect(piecesOf(text, FILES, "https://roost.example")).toEqual([
      { text: "# A\n\nSee [models](https://roost.example/guide/models), [glossary](no-such.md).\n\n" },
      { picture: "run-live", alt: "A run" },
      { text: "\n\nEnd." },
    ]);
  });

  it("have every picture and every file that they name", () => {
    for (const [file, name] of FILES) {
      expect(Object.hasOwn(GUIDES, name), name).toBe(true);
      const text = TEXTS[`../../../../../deploy/guide/${file}.md`];
      expect(text, file).toBeDefined();
      const pieces = piecesOf(text ?? "", FILES, "https://roost.example");
      for (const piece of pieces)
        if ("picture" in piece) expect(Object.hasOwn(PICTURES, piece.picture), piece.picture).toBe(true);
        else expect(piece.text, file).not.toMatch(/\]\([a-z-]+\.md\)|gateway\/ui\/pictures/);
    }
  });
});
