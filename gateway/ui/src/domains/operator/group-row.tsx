import { ChevronRight } from "lucide-react";
import { number } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { sentence } from "~/ui/sentence";
import { Status } from "~/ui/status";
import { table } from "~/ui/table";
import type { GroupLine, MoreLine } from "./flatten";

interface Props {
  row: GroupLine | MoreLine;
  focusable: boolean;
  onFocus: () => void;
  onToggle: () => void;
}

/** Many siblings of one kind in one row, or how many of them are left out. */
export function GroupRow({ row, focusable, onFocus, onToggle }: Props) {
  const group = row.is === "group" ? row : undefined;
  const words = group
    ? `${sentence(group.kind)}: ${number(group.count)}`
    : `${number(row.count)} more; the search above finds each of them`;
  return (
    <tr
      aria-level={row.depth + 1}
      aria-posinset={row.place}
      aria-setsize={row.siblings}
      aria-expanded={group?.open}
      tabIndex={focusable ? 0 : -1}
      onFocus={onFocus}
      className={cx(table.row, "focus-visible:-outline-offset-2")}
    >
      <td className={cx(table.cell, "md:min-w-56")}>
        <div className="flex items-center gap-1" style={{ paddingLeft: row.depth * 16 }}>
          {group ? (
            <button
              type="button"
              tabIndex={-1}
              aria-label={`${group.open ? "Close" : "Open"} ${words}`}
              onClick={onToggle}
              className="inline-flex size-6 shrink-0 items-center justify-center rounded-control text-fg-3 hover:text-fg"
            >
              <ChevronRight
                size={14}
                aria-hidden
                className={cx("transition-transform duration-120", group.open && "rotate-90")}
              />
            </button>
          ) : (
            <span className="w-6 shrink-0" />
          )}
          <span className={group ? "font-[550]" : "text-fg-2"}>{words}</span>
        </div>
      </td>
      <td className={table.cell} colSpan={7}>
        <span className="flex gap-3">
          {group && group.failed > 0 && <Status tone="failed" word={`${number(group.failed)} failed`} />}
          {group && group.restarts > 0 && (
            <span className="text-waiting">
              {number(group.restarts)} {group.restarts === 1 ? "restart" : "restarts"}
            </span>
          )}
        </span>
      </td>
    </tr>
  );
}
