import { ImageOff } from "lucide-react";
import { useState } from "react";
import { visible } from "../visible";
import { target } from "./links";

/**
 * A picture in a text is never fetched: its host would learn that the text is being read, and from where. The
 * page's policy refuses it as well. The page shows the address, so that a person can open it.
 */
export function Picture({ href, alt }: { href: string; alt: string }) {
  const [asked, setAsked] = useState(false);
  const found = target(href);
  const said = visible(alt) || "no description";
  if (found?.to !== "elsewhere")
    return (
      <span className="rounded-control border border-line px-1.5 text-fg-2">
        <ImageOff size={13} aria-hidden className="mr-1 inline" />
        Picture ({said}), not shown <span className="font-mono text-small">{visible(href).slice(0, 80)}</span>
      </span>
    );
  if (!asked)
    return (
      <button
        type="button"
        onClick={() => setAsked(true)}
        className="inline-flex max-w-full items-center gap-1.5 rounded-control border border-line-strong/60 px-1.5 py-0.5 text-body text-fg-2 hover:text-fg"
      >
        <ImageOff size={13} aria-hidden className="shrink-0" />
        <span className="min-w-0 truncate">
          Picture from {found.host} ({said})
        </span>
      </button>
    );
  return (
    <span role="status" className="rounded-control border border-line-strong/60 px-1.5 py-0.5 text-body">
      This page loads nothing from {found.host}: that server would learn that you read this.{" "}
      <a
        href={found.href}
        target="_blank"
        rel="noopener noreferrer"
        className="break-all text-accent underline"
      >
        Open {found.href.slice(0, 200)}
      </a>
    </span>
  );
}
