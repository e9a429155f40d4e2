// The two ways to go somewhere by typing, in one chunk: they share their lists of things and their look.
export { Palette } from "./palette/palette";
export { SiblingList } from "./sibling-list";
