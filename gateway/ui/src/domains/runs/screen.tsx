import { Monitor } from "lucide-react";
import { cx } from "~/ui/class";
import { useFollow } from "~/ui/follow";
import { visible } from "~/ui/visible";
import { signOf, type Screen } from "./transcript";

const LOOK: Record<string, string> = {
  add: "text-done",
  del: "text-failed",
  ok: "text-done",
  warn: "text-waiting",
  cursor: "text-accent font-[550]",
};

/** What an agent has before it: the last lines of its terminal. */
export function ComputerScreen({ screen, name, live }: { screen: Screen; name: string; live: boolean }) {
  const { box, onScroll } = useFollow<HTMLDivElement>(screen.lines);
  return (
    <figure className="flex min-w-0 flex-col rounded-control border border-line bg-sunken">
      <figcaption className="flex items-center gap-1.5 border-b border-line px-2.5 py-1 text-small text-fg-3">
        <Monitor size={13} aria-hidden className="shrink-0" />
        <span className="truncate">
          <bdi>{visible(name)}</bdi>'s {visible(screen.app || "screen")}
          {live ? ", now" : ", as it was last"}
        </span>
        {screen.url && <bdi className="truncate font-mono">{visible(screen.url)}</bdi>}
      </figcaption>
      <div
        ref={box}
        onScroll={onScroll}
        role="region"
        aria-label={`Screen of ${visible(name)}`}
        tabIndex={0}
        className="max-h-72 min-h-24 overflow-auto px-2.5 py-1.5 font-mono text-small"
      >
        {screen.lines.map((line, index) => (
          <div
            // A screen has no names for its lines but their places.
            key={index}
            data-line={line.kind}
            className={cx("flex gap-1.5 whitespace-pre-wrap", LOOK[line.kind] ?? "text-fg-2")}
          >
            <span aria-hidden className="w-2 shrink-0 select-none">
              {signOf(line)}
            </span>
            <span dir="auto" className="min-w-0 break-all">
              {visible(line.text) || " "}
            </span>
          </div>
        ))}
      </div>
    </figure>
  );
}
