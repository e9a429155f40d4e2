// The open list of a choice. Of a long list only the options in view are drawn, and the active one, which a screen reader reads.
import { Check } from "lucide-react";
import { useRef, type ReactNode } from "react";
import { cx } from "../class";
import { useBoxWindow, WHOLE } from "../window";
import { linesOf, type Option } from "./options";

interface Props {
  id: string;
  label: string;
  options: readonly Option[];
  /** The places of the options that fit what was typed. */
  found: readonly number[];
  /** The place of the chosen option. */
  chosen: number;
  /** Which of those that fit is active. */
  at: number;
  onActive: (at: number) => void;
  onChoose: (at: number) => void;
}

/** In a long list each line has one height. With a second line an option is taller. */
const LINE_PX = { one: 28, two: 48 };
const COARSE_PX = { one: 44, two: 56 };
/** As many of the first options as decide how wide a long list is. */
const MEASURED = 200;

export const optionId = (id: string, place: number | undefined) => `${id}-${place ?? "none"}`;

export function OpenList({ id, label, options, found, chosen, at, onActive, onChoose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const lines = linesOf(options, found);
  const windowed = lines.length > WHOLE;
  const heights = globalThis.matchMedia?.("(pointer: coarse)").matches ? COARSE_PX : LINE_PX;
  const height = heights[options.slice(0, MEASURED).some(({ note }) => note) ? "two" : "one"];
  const { first, last } = useBoxWindow(box, lines.length, height);
  const size = windowed ? { height } : undefined;

  const drawn: number[] = [];
  for (let line = first; line < last; line += 1) drawn.push(line);
  const active = lines.indexOf(at);
  if (active >= 0 && active < first) drawn.unshift(active);
  if (active >= last) drawn.push(active);

  const children: ReactNode[] = [];
  const space = (from: number, to: number) => {
    if (to > from)
      children.push(<div key={`space ${from}`} aria-hidden style={{ height: (to - from) * height }} />);
  };
  let next = 0;
  for (const number of drawn) {
    const line = lines[number];
    const option = typeof line === "number" ? options[found[line] ?? -1] : undefined;
    space(next, number);
    next = number + 1;
    if (typeof line === "object")
      children.push(
        <div
          key={`group ${line.group}`}
          aria-hidden
          style={size}
          className={cx("truncate px-2 pb-1 text-small text-fg-3", windowed ? "pt-1" : "pt-2")}
        >
          {line.group}
        </div>,
      );
    else if (option && line !== undefined) {
      const place = found[line] ?? -1;
      children.push(
        // Reached with the keys of the button or of the field, which name the active option.
        // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
        <div
          key={option.value}
          id={optionId(id, place)}
          role="option"
          aria-selected={place === chosen}
          aria-disabled={option.disabled || undefined}
          aria-setsize={windowed ? found.length : undefined}
          aria-posinset={windowed ? line + 1 : undefined}
          data-active={line === at || undefined}
          data-value={option.value}
          style={size}
          onPointerDown={(event) => event.preventDefault()}
          onPointerMove={() => line !== at && !option.disabled && onActive(line)}
          onClick={() => onChoose(line)}
          className="flex min-h-7 cursor-pointer items-center gap-2 rounded-control px-2 py-1 aria-disabled:cursor-not-allowed aria-disabled:text-fg-3 data-active:bg-line/70 pointer-coarse:min-h-11"
        >
          <Check size={14} aria-hidden className={cx("shrink-0", place !== chosen && "invisible")} />
          <span className="min-w-0">
            <bdi className="block truncate">{option.label}</bdi>
            {option.note && (
              <span
                className={cx("block text-small text-fg-3", windowed ? "truncate" : "line-clamp-2")}
                title={windowed ? option.note : undefined}
              >
                {option.note}
              </span>
            )}
          </span>
          {option.group !== undefined && <span className="sr-only">, {option.group}</span>}
        </div>,
      );
    }
  }
  space(next, lines.length);

  return (
    <div
      ref={box}
      id={`${id}-list`}
      role="listbox"
      aria-label={label}
      tabIndex={-1}
      className={cx("min-h-0 overflow-y-auto p-1 outline-none", windowed && "w-104 min-w-full max-w-full")}
    >
      {children}
    </div>
  );
}
