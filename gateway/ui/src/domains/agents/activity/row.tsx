import { Link } from "@tanstack/react-router";
import type { Activity } from "~/api/types";
import { cx } from "~/ui/class";
import { Status } from "~/ui/status";
import { Ago, duration } from "~/ui/time";
import { told } from "./words";

/** One line of the history. Its time grows older on screen; the exact one is its tooltip. */
export function ActivityRow({ one, gone }: { one: Activity; gone: boolean }) {
  const { tone, word, text, code } = told(one);
  return (
    <li className={cx("border-b border-line px-4 py-2 last:border-0", gone && "opacity-60")}>
      <div className="flex items-baseline justify-between gap-x-4">
        <span className="flex min-w-0 flex-wrap items-baseline gap-x-3 gap-y-0.5">
          <Status tone={tone} word={word} className="min-w-26" />
          <span className="break-words">{text}</span>
          {code && <code className="min-w-0 font-mono text-small break-all text-fg-2">{code}</code>}
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
              its machine
            </Link>
          )}
          <Ago at={one.at} />
        </span>
      </div>
      {one.detail && <p className="text-small break-words text-fg-2 sm:pl-29">{one.detail}</p>}
    </li>
  );
}
