// Class names of every table, so that all of them have one rhythm.
export const table = {
  frame: "min-w-0 rounded-panel border border-line bg-surface",
  // Words for screen readers are positioned; without a frame of their own they would widen the page.
  wrap: "relative overflow-x-auto",
  root: "w-full border-collapse text-left",
  head: "h-8 border-b border-line px-4 text-small font-[550] whitespace-nowrap text-fg-3",
  row: "border-b border-line last:border-0 hover:bg-line/25",
  cell: "h-(--row) px-4 py-(--row-pad) align-middle",
};
