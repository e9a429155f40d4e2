/** Scrolls a row sideways so far that what was chosen in it is in sight. The page itself stays where it is. */
export function showIn(row: HTMLElement | null, chosen: string) {
  const one = row?.querySelector(chosen)?.getBoundingClientRect();
  if (!row || !one) return;
  const { left, right } = row.getBoundingClientRect();
  if (one.right > right) row.scrollLeft += one.right - right;
  else if (one.left < left) row.scrollLeft += one.left - left;
}
