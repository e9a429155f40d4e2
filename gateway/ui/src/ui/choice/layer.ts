// What opens below its button: it lies within the screen, and closes at Escape, at a press elsewhere and when the focus
// leaves. Base UI's own would cost more than all of the lists: 20 KB for each list, and 2 KB for every dialog.
import { useEffect, useLayoutEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from "react";

/** Room between a layer and the edge of the screen. */
const EDGE_PX = 8;
/** Room between a layer and its button. */
const GAP_PX = 4;
/** A layer with less room than this below its button opens above it, when there is more room. */
const LEAST_PX = 220;

function place(layer: HTMLElement) {
  layer.style.translate = "";
  layer.style.maxHeight = "";
  const { right, top } = layer.getBoundingClientRect();
  const over = right + EDGE_PX - document.documentElement.clientWidth;
  if (over > 0) layer.style.translate = `${-over}px 0`;
  layer.style.maxHeight = `${Math.max(160, window.innerHeight - top - EDGE_PX)}px`;
}

/** Above everything else: no box that scrolls, such as a dialog, cuts it off. */
function placeOver(layer: HTMLElement, button: HTMLElement) {
  const { left, top, bottom, width } = button.getBoundingClientRect();
  const [below, above] = [window.innerHeight - bottom, top];
  const up = below < LEAST_PX && above > below;
  layer.toggleAttribute("data-up", up);
  layer.style.minWidth = `${width}px`;
  layer.style.maxHeight = `${(up ? above : below) - GAP_PX - EDGE_PX}px`;
  layer.style.top = up ? "auto" : `${bottom + GAP_PX}px`;
  layer.style.bottom = up ? `${window.innerHeight - top + GAP_PX}px` : "auto";
  const most = document.documentElement.clientWidth - layer.offsetWidth - EDGE_PX;
  layer.style.left = `${Math.max(EDGE_PX, Math.min(left, most))}px`;
}

/** Spread `around` on the element that has both the button and the layer. `over` puts the layer above everything else. `keeps`: it keeps its first width, whatever it shows later. */
export function useLayer<From extends HTMLElement = HTMLButtonElement>({
  over = false,
  keeps = false,
}: { over?: boolean; keeps?: boolean } = {}) {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<From>(null);
  const layer = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const [shown, from] = [layer.current, button.current];
    if (!open || !shown || !from) return undefined;
    if (!over) {
      place(shown);
      return undefined;
    }
    shown.showPopover();
    const again = () => placeOver(shown, from);
    again();
    shown.style.width = keeps ? `${shown.offsetWidth}px` : "";
    // What scrolls inside the layer does not move its button.
    const scrolled = ({ target }: Event) => {
      if (!(target instanceof Node && shown.contains(target))) again();
    };
    document.addEventListener("scroll", scrolled, true);
    window.addEventListener("resize", again);
    return () => {
      document.removeEventListener("scroll", scrolled, true);
      window.removeEventListener("resize", again);
    };
  }, [open, over, keeps]);
  useEffect(() => {
    if (!open) return undefined;
    const away = (event: Event) => {
      if (!(event.target instanceof Node && root.current?.contains(event.target))) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  /** Closes it; the focus is where it came from. */
  const close = () => {
    button.current?.focus();
    setOpen(false);
  };
  const around = {
    ref: root,
    onKeyDown: (event: KeyboardEvent) => {
      if (!open || event.key !== "Escape") return;
      event.preventDefault();
      event.stopPropagation();
      close();
    },
    onBlur: (event: FocusEvent) => {
      // Without a target the whole page lost the focus, which comes back.
      if (event.relatedTarget instanceof Node && !root.current?.contains(event.relatedTarget)) setOpen(false);
    },
  };
  return { open, setOpen, close, around, button, layer };
}
