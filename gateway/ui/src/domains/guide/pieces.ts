// A guide in the pieces that the page draws: texts, and the pictures between them. The guides are files of the repository, so
// their links and pictures are known.
import type { Guide } from "./guides";

export type Piece = { text: string } | { picture: string; alt: string };

const PICTURE = /^!\[([^\]]*)\]\((?:\.\.\/)+gateway\/ui\/pictures\/([a-z-]+)\.png\)$/m;

/** Links to other guides lead to their pages here. */
const linked = (text: string, files: ReadonlyMap<string, Guide>, origin: string) =>
  text.replace(/\]\(([a-z-]+)\.md\)/g, (whole, file: string) => {
    const name = files.get(file);
    return name ? `](${origin}/guide/${name})` : whole;
  });

export function piecesOf(markdown: string, files: ReadonlyMap<string, Guide>, origin: string): Piece[] {
  const parts = linked(markdown, files, origin).split(PICTURE);
  // Each picture gives its words and its name between the texts around it.
  return parts.flatMap((part, at): Piece[] => {
    if (at % 3 === 0) return part.trim() === "" ? [] : [{ text: part }];
    return at % 3 === 1 ? [{ picture: parts[at + 1] ?? "", alt: part }] : [];
  });
}
