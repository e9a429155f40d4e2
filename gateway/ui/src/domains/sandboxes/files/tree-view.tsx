import { useQueries, useQueryClient } from "@tanstack/react-query";
import { ChevronDown, ChevronRight, File, Folder as FolderIcon, Link2 } from "lucide-react";
import { useEffect, useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from "react";
import type { Owner } from "~/api/sandboxes";
import type { FileEntry } from "~/api/types";
import { bytes } from "~/ui/bytes";
import { cx } from "~/ui/class";
import { visible } from "~/ui/visible";
import { useBoxWindow } from "~/ui/window";
import { folderQuery } from "./queries";
import { above, isEntry, move, treeOf, typed, type Folder, type Note, type Row } from "./tree";

const ICONS = { folder: FolderIcon, file: File, link: Link2 };

const NOTES: Record<Note, string> = {
  loading: "Loading …",
  failed: "This folder could not be loaded. Press Enter to try again.",
  empty: "This folder is empty.",
  more: "This folder has more entries than the page shows. “roost files get” reads each of them by its path.",
};

function Name({ entry }: { entry: FileEntry }) {
  const Icon = ICONS[entry.kind];
  return (
    <>
      <Icon size={14} aria-hidden className="shrink-0 text-fg-3" />
      <bdi className="min-w-0 truncate" title={visible(entry.name)}>
        {visible(entry.name)}
      </bdi>
      {entry.target !== undefined && entry.target !== null && (
        <span className="min-w-0 truncate text-fg-3">
          → <bdi>{visible(entry.target)}</bdi>
        </span>
      )}
      {entry.kind === "file" && (
        <span className="ml-auto shrink-0 pl-2 text-small text-fg-3 tabular-nums">{bytes(entry.bytes)}</span>
      )}
    </>
  );
}

/** Reads the folders that are open, and gives the rows. */
function useTree(owner: Owner, snapshot: string, open: ReadonlySet<string>) {
  const client = useQueryClient();
  const folder = (path: string): Folder => {
    const state = client.getQueryState(folderQuery(owner, snapshot, path).queryKey);
    return { list: state?.data, failed: state?.status === "error" && state.fetchStatus === "idle" };
  };
  const tree = treeOf(open, folder);
  // The queries only make the tree draw again when a folder arrives: what they hold is read from the cache above.
  useQueries({ queries: tree.reached.map((path) => folderQuery(owner, snapshot, path)) });
  const retry = (path: string) =>
    void client.refetchQueries({ queryKey: folderQuery(owner, snapshot, path).queryKey, exact: true });
  return { rows: tree.rows, retry };
}

interface Props {
  owner: Owner;
  snapshot: string;
  /** The path that the address names. */
  path: string | undefined;
  onChoose: (path: string) => void;
}

/** The folders and files of a snapshot. Only the rows in sight are drawn. */
export function FileTree({ owner, snapshot, path, onChoose }: Props) {
  const name = useId();
  const box = useRef<HTMLDivElement>(null);
  const [height] = useState(() => (window.matchMedia("(pointer: coarse)").matches ? 44 : 28));
  const [open, setOpen] = useState<ReadonlySet<string>>(() => new Set(path ? above(path) : []));
  const [at, setAt] = useState<string>();
  const { rows, retry } = useTree(owner, snapshot, open);
  const { first, last, before, after } = useBoxWindow(box, rows.length, height);
  const keyOf = (row: Row) => (isEntry(row) ? row.path : `${row.note} ${row.path}`);
  const active = Math.max(
    0,
    rows.findIndex((row) => keyOf(row) === (at ?? path)),
  );

  const show = (index: number) => {
    const view = box.current;
    if (!view) return;
    if (index * height < view.scrollTop) view.scrollTop = index * height;
    else if ((index + 1) * height > view.scrollTop + view.clientHeight)
      view.scrollTop = (index + 1) * height - view.clientHeight;
  };
  // Rows that arrive above the active one do not move it, while it is in sight.
  const kept = useRef<{ key: string | undefined; index: number }>(undefined);
  const key = rows[active] && keyOf(rows[active]);
  useLayoutEffect(() => {
    const [view, before] = [box.current, kept.current];
    kept.current = { key, index: active };
    if (!view || before?.key !== key || before === undefined) return;
    const top = before.index * height;
    if (top + height > view.scrollTop && top < view.scrollTop + view.clientHeight)
      view.scrollTop += (active - before.index) * height;
  }, [key, active, height]);
  // An address that names a file deep in the tree shows its row, once it is there.
  const shown = useRef<string>(undefined);
  const index = rows.findIndex((row) => isEntry(row) && row.path === path);
  useEffect(() => {
    if (index < 0 || shown.current === path) return;
    shown.current = path;
    show(index);
  });

  const toggle = (folder: string) =>
    setOpen((now) => {
      const next = new Set(now);
      if (!next.delete(folder)) next.add(folder);
      return next;
    });
  const choose = (row: Row) => {
    setAt(keyOf(row));
    if (!isEntry(row)) return row.note === "failed" ? retry(row.path) : undefined;
    if (row.entry.kind === "folder") return toggle(row.path);
    shown.current = row.path;
    return onChoose(row.path);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((box.current?.clientHeight ?? 0) / height) - 1);
    const found = event.key.length === 1 && event.key !== " " ? typed(rows, active, event.key) : undefined;
    const next = found === undefined ? move(rows, active, event.key, page) : { to: found };
    if (!next) return;
    event.preventDefault();
    // A letter that finds a file is not a shortcut of the page.
    event.stopPropagation();
    if ("toggle" in next) toggle(next.toggle);
    else if ("choose" in next) choose(next.choose);
    else {
      const row = rows[next.to];
      if (row) setAt(keyOf(row));
      show(next.to);
    }
  };
  const drawn = rows.slice(first, last);
  const hasActive = active >= first && active < last;
  return (
    <div
      ref={box}
      role="tree"
      aria-label="Files"
      tabIndex={0}
      aria-activedescendant={hasActive ? `${name}-${active}` : undefined}
      onKeyDown={onKeyDown}
      className="group/tree max-h-[50vh] min-h-24 overflow-y-auto py-1 outline-none [overflow-anchor:none] focus-visible:outline-2 focus-visible:-outline-offset-2 lg:max-h-[64vh]"
    >
      <div aria-hidden style={{ height: before }} />
      {drawn.map((row, offset) => {
        const number = first + offset;
        const entry = isEntry(row) ? row.entry : undefined;
        const Chevron = isEntry(row) && row.open ? ChevronDown : ChevronRight;
        return (
          // The tree has the keys: the focus stays on it, and it names its active row.
          // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
          <div
            key={keyOf(row)}
            role="treeitem"
            id={`${name}-${number}`}
            aria-level={row.level}
            aria-selected={isEntry(row) && row.path === path}
            aria-expanded={isEntry(row) && row.entry.kind === "folder" ? row.open : undefined}
            aria-setsize={isEntry(row) ? row.of : undefined}
            aria-posinset={isEntry(row) ? row.place : undefined}
            onClick={() => choose(row)}
            style={{ height, paddingLeft: 8 + (row.level - 1) * 14 }}
            className={cx(
              "flex cursor-default items-center gap-1.5 pr-3",
              isEntry(row) && row.path === path ? "bg-accent/12" : "hover:bg-line/40",
              number === active &&
                "group-focus-visible/tree:outline group-focus-visible/tree:-outline-offset-1 group-focus-visible/tree:outline-accent",
            )}
          >
            {entry ? (
              <>
                {entry.kind === "folder" ? (
                  <Chevron size={14} aria-hidden className="shrink-0 text-fg-3" />
                ) : (
                  <span aria-hidden className="w-[14px] shrink-0" />
                )}
                <Name entry={entry} />
              </>
            ) : (
              <span
                className="truncate pl-5 text-small text-fg-3"
                title={NOTES[(row as { note: Note }).note]}
              >
                {NOTES[(row as { note: Note }).note]}
              </span>
            )}
          </div>
        );
      })}
      <div aria-hidden style={{ height: after }} />
    </div>
  );
}
