// The small Rust repository that the demonstration works on, packed into the page when it is built.
import type { Entry } from "~/ui/upload/tar";

/** What people call it. The agents find it in a folder of this name. */
export const NAME = "durations";

const FOLDER = "../../../../../../deploy/demo/repository/";
// A pattern alone leaves out a file whose name begins with a dot, and `target` exists where somebody ran the tests.
const TEXTS = import.meta.glob<string>(
  [
    "../../../../../../deploy/demo/repository/**/*",
    "../../../../../../deploy/demo/repository/.gitignore",
    "!**/target/**",
  ],
  { query: "?raw", import: "default", eager: true },
);

/** Its files. */
export const entries = (): Entry[] =>
  Object.entries(TEXTS)
    .map(([path, text]) => ({ path: path.slice(FOLDER.length), file: new Blob([text]) }))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
