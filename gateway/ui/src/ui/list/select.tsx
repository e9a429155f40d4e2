import { Check, ChevronDown } from "lucide-react";
import { useEffect, useId, useRef, useState, type KeyboardEvent } from "react";
import { cx } from "../class";
import { stepIn, typedIn } from "./choice-keys";
import { useLayer } from "./layer";
import { chip, popup } from "./look";

export interface Option {
  /** An empty value is the one that narrows nothing. */
  value: string;
  label: string;
}

interface Props {
  label: string;
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
}

/** Letters that follow each other faster than this are one word. */
const WORD_MS = 600;

/** One of several values. The focus stays on the button, which names the active option of the list below it. */
export function Select({ label, value, options, onChange }: Props) {
  const { open, setOpen, close, around, button, layer } = useLayer();
  const id = useId();
  const chosen = options.findIndex((one) => one.value === value);
  const [at, setAt] = useState(0);
  const typed = useRef({ text: "", when: -Infinity });
  const shown = options[chosen]?.label ?? (options.length > 1 ? "One that is gone" : "…");
  const begin = (to = Math.max(0, chosen)) => {
    setAt(to);
    setOpen(true);
  };
  const choose = (to: number) => {
    const option = options[to];
    if (option && option.value !== value) onChange(option.value);
    close();
  };
  useEffect(() => {
    if (open) layer.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [open, at, layer]);
  const write = (event: KeyboardEvent) => {
    const { text, when } = typed.current;
    typed.current = {
      text: event.timeStamp - when < WORD_MS ? text + event.key : event.key,
      when: event.timeStamp,
    };
    const labels = options.map((one) => one.label);
    const to = typedIn(labels, open ? at : chosen, typed.current.text);
    if (to !== undefined) begin(to);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const step = open ? stepIn(event.key, at, options.length) : undefined;
    // A blank belongs to a word that is being typed.
    const blank = event.key === " " && event.timeStamp - typed.current.when >= WORD_MS;
    if (step !== undefined) setAt(step);
    else if (open && (event.key === "Enter" || blank)) choose(at);
    else if (open && event.key === "Tab") choose(at);
    else if (["ArrowDown", "ArrowUp", "Enter"].includes(event.key) || blank) begin();
    else if (event.key.length === 1 && !event.altKey) write(event);
    else return;
    if (event.key !== "Tab") event.preventDefault();
  };
  return (
    <div className="relative min-w-0" {...around}>
      <button
        ref={button}
        type="button"
        role="combobox"
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={open ? `${id}-${at}` : undefined}
        onClick={() => (open ? close() : begin())}
        onKeyDown={keys}
        className={chip(value !== "")}
      >
        <span aria-hidden className="text-fg-3">
          {label}
        </span>
        <bdi className="min-w-0 truncate">{shown}</bdi>
        <ChevronDown size={14} aria-hidden className="ml-auto shrink-0 text-fg-3" />
      </button>
      {open && (
        <div
          ref={layer}
          id={`${id}-list`}
          role="listbox"
          aria-label={label}
          tabIndex={-1}
          className={cx(popup, "p-1")}
        >
          {options.map((option, place) => (
            // Reached with the keys of the button, which names the active option.
            // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
            <div
              key={option.value}
              id={`${id}-${place}`}
              role="option"
              aria-selected={place === chosen}
              data-active={place === at || undefined}
              onPointerDown={(event) => event.preventDefault()}
              onPointerMove={() => place !== at && setAt(place)}
              onClick={() => choose(place)}
              className="flex min-h-7 cursor-pointer items-center gap-2 rounded-control px-2 py-1 data-active:bg-line/70 pointer-coarse:min-h-11"
            >
              <Check size={14} aria-hidden className={cx("shrink-0", place !== chosen && "invisible")} />
              <bdi className="min-w-0 truncate">{option.label}</bdi>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
