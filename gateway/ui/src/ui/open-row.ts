// A row is as good as its link: a press anywhere on it follows the link that names it.
import type { MouseEvent } from "react";

const OWN = "a, button, input, select, label, summary, [data-own]";

/** The link of a row that a press asks for. A press on something of its own, or the end of a text selection, asks for none. */
export function linkOf(event: MouseEvent<HTMLElement>): HTMLAnchorElement | undefined {
  if (event.defaultPrevented || !(event.target instanceof Element) || event.target.closest(OWN))
    return undefined;
  const selection = getSelection();
  if (selection && !selection.isCollapsed) return undefined;
  return event.currentTarget.querySelector<HTMLAnchorElement>("a[href]") ?? undefined;
}

const tab = (link: HTMLAnchorElement) => window.open(link.href, "_blank", "noopener");

function press(event: MouseEvent<HTMLElement>) {
  const link = linkOf(event);
  if (!link) return;
  if (event.ctrlKey || event.metaKey || event.shiftKey) tab(link);
  else link.click();
}

function middle(event: MouseEvent<HTMLElement>) {
  const link = event.button === 1 ? linkOf(event) : undefined;
  if (link) tab(link);
}

/** The middle button would begin to scroll the page. */
function quiet(event: MouseEvent<HTMLElement>) {
  if (event.button === 1 && linkOf(event)) event.preventDefault();
}

/** For the row itself. Its first link is the one that it follows. */
export const openRow = { onClick: press, onAuxClick: middle, onMouseDown: quiet };
