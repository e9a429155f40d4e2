import { useLocation } from "@tanstack/react-router";
import { ChevronsUpDown } from "lucide-react";
import { Suspense, useRef, useState } from "react";
import type { Me } from "~/api/types";
import { later } from "~/live/arriving";

const SiblingList = later(async () => (await import("./going")).SiblingList);

export type Level = "workspace" | "place" | "thing";

/** Which single thing an address is about. */
export function thingAt(pathname: string): { kind: "node" | "agent"; id: string } | undefined {
  const found = /^\/(fleet|claws)\/([^/]+)$/.exec(pathname);
  if (!found?.[2]) return undefined;
  return { kind: found[1] === "fleet" ? "node" : "agent", id: decodeURIComponent(found[2]) };
}

/** Opens the list of what stands beside a crumb; Alt and arrow down do the same from anywhere. */
export function CrumbMenu({ me, level }: { me: Me; level: Level }) {
  const at = useLocation({ select: ({ pathname }) => thingAt(pathname)?.kind });
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLSpanElement>(null);
  if (level === "thing" && !at) return null;
  if (level === "workspace" && me.workspaces.length < 2) return null;
  const label = `Other ${level === "thing" ? (at === "node" ? "machines" : "agents") : `${level}s`}`;
  const close = () => {
    // Back to the opener, unless somebody has gone elsewhere with the pointer.
    const focus = document.activeElement;
    if (focus === document.body || box.current?.contains(focus))
      box.current?.querySelector("button")?.focus();
    setOpen(false);
  };
  return (
    <span ref={box} className="relative inline-flex shrink-0 max-rail:static">
      <button
        type="button"
        data-siblings
        aria-label={label}
        title={`${label} (Alt ↓)`}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => (open ? close() : setOpen(true))}
        className="inline-flex size-6 items-center justify-center rounded-control text-fg-3 hover:bg-line/60 hover:text-fg pointer-coarse:size-9"
      >
        <ChevronsUpDown size={13} aria-hidden />
      </button>
      {open && (
        <Suspense>
          <SiblingList me={me} level={level} label={label} onClose={close} />
        </Suspense>
      )}
    </span>
  );
}
