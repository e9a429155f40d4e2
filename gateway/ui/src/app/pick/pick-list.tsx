import { Search, type LucideIcon } from "lucide-react";
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { cx } from "~/ui/class";
import { find, type Entry } from "./match";

export interface Choice extends Entry {
  icon?: LucideIcon | undefined;
  /** Opens a dialog before anything is lost; marked as such. */
  danger?: boolean;
  /** The one that is on screen already. */
  here?: boolean;
  run: () => void;
}

interface Props {
  label: string;
  entries: Choice[];
  recent?: string[];
  /** Said where nothing fits. */
  none: string;
  loading?: boolean;
  /** Begins at what is on screen, not at the first. */
  fromHere?: boolean;
  onPick: (entry: Choice) => void;
}

const MOST = 60;

function Option({
  id,
  entry,
  active,
  onPick,
}: {
  id: string;
  entry: Choice;
  active: boolean;
  onPick: () => void;
}) {
  const Icon = entry.icon;
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) row.current?.scrollIntoView({ block: "nearest" });
  }, [active]);
  return (
    // Reached with the arrow keys of the field above, which names the active option.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
    <div
      ref={row}
      id={id}
      role="option"
      aria-selected={active}
      onPointerDown={(event) => event.preventDefault()}
      onClick={onPick}
      className={cx(
        "mx-1.5 flex min-h-8 cursor-pointer items-center gap-2.5 rounded-control px-2.5 py-1 hover:bg-line/40 pointer-coarse:min-h-11",
        active && "bg-line/70",
        entry.danger && "text-failed",
      )}
    >
      {Icon && <Icon size={15} aria-hidden className="shrink-0 text-fg-3" />}
      <bdi className="min-w-0 truncate">{entry.label}</bdi>
      <span className="ml-auto flex max-w-[50%] shrink-0 items-baseline gap-3 text-small text-fg-3">
        {entry.hint && <bdi className="truncate">{entry.hint}</bdi>}
        {entry.here && <span>here</span>}
      </span>
    </div>
  );
}

/** A field and the entries that fit what is typed into it; arrow keys and Enter, or the pointer. */
export function PickList({ label, entries, recent = [], none, loading, fromHere, onPick }: Props) {
  const [query, setQuery] = useState("");
  const wanted = useDeferredValue(query);
  const { groups, left } = useMemo(() => find(entries, wanted, recent, MOST), [entries, wanted, recent]);
  const flat = useMemo(() => groups.flatMap((group) => group.entries), [groups]);
  const [active, setActive] = useState<string>();
  const base = useId();
  const here = fromHere && flat.find((entry) => entry.here)?.id;
  // What was pointed at may be gone with the next letter; then it is the first again.
  const at = Math.max(
    0,
    flat.findIndex((entry) => entry.id === (active ?? (query === "" && here))),
  );
  const current = flat[at];
  const move = (to: number) => setActive(flat[Math.min(flat.length - 1, Math.max(0, to))]?.id);
  const keys = (event: KeyboardEvent) => {
    const steps: Record<string, () => void> = {
      ArrowDown: () => move(at + 1 < flat.length ? at + 1 : 0),
      ArrowUp: () => move(at > 0 ? at - 1 : flat.length - 1),
      PageDown: () => move(at + 8),
      PageUp: () => move(at - 8),
      Enter: () => current && onPick(current),
    };
    const step = steps[event.key];
    if (!step || event.nativeEvent.isComposing) return;
    event.preventDefault();
    step();
  };
  const id = (entry: Choice) => `${base}-${entry.id}`;
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div className="relative border-b border-line">
        <Search size={15} aria-hidden className="absolute top-1/2 left-4 -translate-y-1/2 text-fg-3" />
        <input
          role="combobox"
          aria-label={label}
          aria-expanded
          aria-autocomplete="list"
          aria-controls={`${base}-list`}
          aria-activedescendant={current ? id(current) : undefined}
          autoComplete="off"
          spellCheck="false"
          placeholder={label}
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(undefined);
          }}
          onKeyDown={keys}
          className="h-11 w-full bg-transparent pr-4 pl-10 text-body outline-none pointer-coarse:text-[16px]"
        />
      </div>
      <div
        id={`${base}-list`}
        role="listbox"
        aria-label={label}
        className="min-h-0 flex-1 overflow-y-auto py-1.5"
      >
        {groups.map((group) => (
          // oxlint-disable-next-line jsx-a11y/prefer-tag-over-role
          <div key={group.name} role="group" aria-label={group.name}>
            <div aria-hidden className="px-4 pt-2 pb-1 text-micro text-fg-3">
              {group.name}
            </div>
            {group.entries.map((entry) => (
              <Option
                key={entry.id}
                id={id(entry)}
                entry={entry}
                active={entry.id === current?.id}
                onPick={() => onPick(entry)}
              />
            ))}
          </div>
        ))}
      </div>
      <p
        role="status"
        className={cx("px-4 pb-3 text-small text-fg-3", flat.length > 0 && left === 0 && "sr-only")}
      >
        {loading
          ? "Loading…"
          : flat.length === 0
            ? none
            : left > 0
              ? `${left} more: keep typing.`
              : `${flat.length} found`}
      </p>
    </div>
  );
}
