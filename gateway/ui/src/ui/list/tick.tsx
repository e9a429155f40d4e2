import type { InputHTMLAttributes, ReactNode } from "react";
import { Button } from "../button";
import { cx } from "../class";
import { table } from "../table";
import type { Selection, Tick } from "./selection";

const box = "block size-4 cursor-pointer accent-accent pointer-coarse:size-6";

interface BoxProps extends Omit<InputHTMLAttributes<HTMLInputElement>, "type"> {
  /** What it selects. */
  label: string;
}

/** A box that selects a row, or all of them. A list without a table has it too. */
export const TickBox = ({ label, className, ...input }: BoxProps) => (
  <input type="checkbox" aria-label={label} {...input} className={cx(box, className)} />
);

/** The first cell of a row that can be selected. */
export function TickCell({
  id,
  name,
  ticked,
  tick,
  selectable = true,
}: {
  id: string;
  name: string;
  ticked: boolean;
  tick: Tick;
  selectable?: boolean;
}) {
  return (
    <td
      data-own
      className={cx(table.cell, "w-10 cursor-default pr-0 select-none")}
      onMouseDown={(event) => event.shiftKey && event.preventDefault()}
    >
      {selectable && (
        <TickBox
          label={`Select ${name.slice(0, 200)}`}
          checked={ticked}
          onClick={(event) => tick(event, id)}
        />
      )}
    </td>
  );
}

/** Above the first cells: all rows that are listed. */
export function TickAll({ ids, selection }: { ids: readonly string[]; selection: Selection }) {
  return (
    <td className={cx(table.head, "w-10 pr-0")}>
      <TickBox
        label="Select all that are listed"
        checked={ids.length > 0 && ids.every((id) => selection.ids.has(id))}
        onClick={(event) => selection.set(ids, event.currentTarget.checked)}
      />
    </td>
  );
}

/** What can be done to what is selected. It lies over the line above the table, so that no row moves. */
export function SelectionBar({
  what,
  count,
  onClear,
  children,
}: {
  what: string;
  count: number;
  onClear: () => void;
  children: ReactNode;
}) {
  return (
    <div className="sticky top-11 z-10 h-0">
      {count > 0 && (
        <div
          role="toolbar"
          aria-label={`Selected ${what}`}
          className="flex min-h-10 flex-wrap items-center gap-2 rounded-t-panel border-b border-accent/50 bg-raised px-4 py-1.5"
        >
          <span role="status" className="mr-auto">
            {count} selected
          </span>
          {children}
          <Button look="quiet" onClick={onClear}>
            Clear
          </Button>
        </div>
      )}
    </div>
  );
}
