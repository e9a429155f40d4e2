import { Ellipsis } from "lucide-react";
import { useEffect, useId, type ReactNode } from "react";
import { IconButton } from "./button";
import { useLayer } from "./choice/layer";
import { over } from "./choice/look";

/**
 * Buttons that are not worth a place in a page's bar, most of all those that destroy. They are on the page while the menu is
 * closed, so the palette finds them.
 */
export function MoreMenu({ children }: { children: ReactNode }) {
  const { open, setOpen, close, around, button, layer } = useLayer({ over: true });
  const id = useId();
  useEffect(() => {
    const box = layer.current;
    if (open) box?.querySelector("button")?.focus();
    else if (box?.matches(":popover-open")) box.hidePopover();
  }, [open, layer]);
  return (
    <div className="relative" {...around}>
      <IconButton
        ref={button}
        label="More actions"
        data-more
        aria-expanded={open}
        aria-controls={id}
        onClick={() => (open ? close() : setOpen(true))}
      >
        <Ellipsis size={16} aria-hidden />
      </IconButton>
      {/* A press on one of its buttons closes it. What that opens gives the focus back to the button of the menu. */}
      {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={layer}
        id={id}
        role="group"
        aria-label="More actions"
        popover="manual"
        // Before the button itself is told: a dialog that it opens remembers what has the focus then.
        onClickCapture={(event) =>
          event.target instanceof Element && event.target.closest("button") && close()
        }
        className={over}
      >
        {/* The layer itself is hidden while it is closed, which another kind of display would undo. */}
        <div className="flex flex-col [&_button]:min-h-8 [&_button]:justify-start [&_button]:border-transparent [&_button]:bg-transparent [&_button:hover]:bg-line/70">
          {children}
        </div>
      </div>
    </div>
  );
}
