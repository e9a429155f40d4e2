// What opens below its button: it lies within the screen, and closes at Escape, at a press elsewhere and when the focus
// leaves. Base UI's own would cost more than all of the lists: 20 KB for each list, and 2 KB for every dialog.
import { useEffect, useRef, useState, type FocusEvent, type KeyboardEvent } from "react";

/** Room between a layer and the edge of the screen. */
const EDGE_PX = 8;

function place(layer: HTMLElement) {
  layer.style.translate = "";
  layer.style.maxHeight = "";
  const { right, top } = layer.getBoundingClientRect();
  const over = right + EDGE_PX - document.documentElement.clientWidth;
  if (over > 0) layer.style.translate = `${-over}px 0`;
  layer.style.maxHeight = `${Math.max(160, window.innerHeight - top - EDGE_PX)}px`;
}

/** Spread `around` on the element that has both the button and the layer. */
export function useLayer() {
  const [open, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const layer = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!open) return undefined;
    if (layer.current) place(layer.current);
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
