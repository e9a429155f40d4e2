import { useId, useLayoutEffect, useRef, type KeyboardEvent, type ReactNode } from "react";
import { showIn } from "./show-in";

export interface TabItem {
  id: string;
  label: string;
  note?: ReactNode;
  content: ReactNode;
}

const STEPS: Record<string, (at: number, last: number) => number> = {
  ArrowLeft: (at, last) => (at === 0 ? last : at - 1),
  ArrowRight: (at, last) => (at === last ? 0 : at + 1),
  Home: () => 0,
  End: (_, last) => last,
};

/** Arrows go from tab to tab; what is gone to is chosen on purpose, because its content may have to be asked for. */
function step(event: KeyboardEvent<HTMLElement>) {
  const tabs = [...(event.currentTarget.parentElement?.children ?? [])] as HTMLElement[];
  const next = STEPS[event.key]?.(tabs.indexOf(event.currentTarget), tabs.length - 1);
  if (next === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  tabs[next]?.focus();
}

/** Tabs whose choice the page keeps (in its address). */
export function TabSet({
  items,
  value,
  onChange,
}: {
  items: TabItem[];
  value: string;
  onChange: (id: string) => void;
}) {
  const id = useId();
  const chosen = items.find((item) => item.id === value);
  const list = useRef<HTMLDivElement>(null);
  // On a narrow screen the row scrolls, and the chosen tab may be out of sight.
  useLayoutEffect(() => showIn(list.current, "[aria-selected=true]"), [value]);
  return (
    <div className="flex min-h-0 flex-1 flex-col">
      <div ref={list} role="tablist" className="flex gap-1 overflow-x-auto border-b border-line">
        {items.map((item) => (
          <button
            key={item.id}
            type="button"
            role="tab"
            id={`${id}-${item.id}`}
            aria-selected={item === chosen}
            aria-controls={item === chosen ? `${id}-panel` : undefined}
            tabIndex={item === chosen ? 0 : -1}
            onClick={() => onChange(item.id)}
            onKeyDown={step}
            className="-mb-px inline-flex h-9 items-center gap-2 border-b-2 border-transparent px-3 whitespace-nowrap text-fg-2 hover:text-fg focus-visible:-outline-offset-2 aria-selected:border-accent aria-selected:text-fg pointer-coarse:h-11"
          >
            {item.label}
            {item.note}
          </button>
        ))}
      </div>
      {chosen && (
        <div
          key={chosen.id}
          role="tabpanel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-${chosen.id}`}
          tabIndex={0}
          className="flex min-h-0 flex-1 flex-col pt-4 outline-none"
        >
          {chosen.content}
        </div>
      )}
    </div>
  );
}
