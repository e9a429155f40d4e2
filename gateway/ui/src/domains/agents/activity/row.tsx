import { Link } from "@tanstack/react-router";
import { cx } from "~/ui/class";
import { Status } from "~/ui/status";
import { Ago, duration } from "~/ui/time";
import type { Line } from "./use-history";

/** One line of the history. Its time grows older on screen; the exact one is its tooltip. */
export function ActivityRow({ one, gone }: { one: Line; gone: boolean }) {
  const { tone, word, text, code } = one;
  return (
    <li className={cx("border-b border-line px-4 py-2 last:border-0", gone && "opacity-60")}>
      <div className="flex items-baseline justify-between gap-x-4">
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <Status tone={tone} word={word} className="min-w-26" />
          <bdi className="break-words">{text}</bdi>
          {code && (
            <code
              title={code.slice(0, 2000)}
              className="line-clamp-3 min-w-0 font-mono text-small break-all whitespace-pre-wrap text-fg-2"
            >
              {code}
            </code>
          )}
        </span>
        <span className="flex shrink-0 items-baseline gap-3 text-small text-fg-3">
          {one.duration_ms !== null && one.duration_ms !== undefined && (
            <span className="max-sm:hidden">took {duration(one.duration_ms)}</span>
          )}
          {one.node_id && (
            <Link
              to="/fleet/$id"
              params={{ id: one.node_id }}
              className="rounded-control hover:text-accent hover:underline max-sm:hidden"
            >
              machine
            </Link>
          )}
          <Ago at={one.at} />
        </span>
      </div>
      {one.detail && <p className="text-small break-words text-fg-2 sm:pl-29">{one.detail}</p>}
    </li>
  );
}
