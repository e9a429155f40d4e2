import { ChevronDown, Search } from "lucide-react";
import {
  useEffect,
  useId,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { cx } from "../class";
import { stepIn, typedIn } from "./keys";
import { useLayer } from "./layer";
import { listOver } from "./look";
import { OpenList, optionId } from "./open-list";
import { fitting, MANY, onWay, type Option } from "./options";

type Attributes = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "value" | "onChange" | "name">;

export interface Asking {
  /** The options change with what is typed: the gateway searches. */
  onSearch?: ((typed: string) => void) | undefined;
  /** Under the list: why an option may be absent. */
  partial?: string | undefined;
}

interface Props extends Attributes, Asking {
  value: string;
  options: readonly Option[];
  onChange: (value: string) => void;
  /** The name of the list of options. */
  label: string;
  /** As wide as the place it is in. Otherwise as wide as the chosen option. */
  fills?: boolean;
  /** Before the chosen option. */
  before?: ReactNode;
  /** Under this name a form sends the value. */
  name?: string | undefined;
}

/** Letters that follow each other faster than this are one word. */
const WORD_MS = 600;

/**
 * One of several values. The focus stays on the button, which names the active option of the list below it. A long list
 * has a field, which gets the focus and in which one types to search.
 */
export function Box(props: Props) {
  const { label, value, options, onChange, fills, before, name, className, onSearch, partial, ...button } =
    props;
  const long = options.length > MANY || onSearch !== undefined;
  const { open, setOpen, close, around, button: ref, layer } = useLayer({ over: true, keeps: long });
  const id = useId();
  const chosen = options.findIndex((one) => one.value === value);
  const [at, setAt] = useState(0);
  const [query, setQuery] = useState("");
  const field = useRef<HTMLInputElement>(null);
  const typed = useRef({ text: "", when: -Infinity });
  // The gateway also finds by what an option does not show.
  const wanted = onSearch ? "" : query;
  const found = useMemo(() => (open ? fitting(options, wanted) : []), [open, options, wanted]);
  const offered = useMemo(() => found.map((place) => options[place] as Option), [found, options]);
  const shown = options[chosen]?.label ?? (options.length > 1 ? "One that is gone" : "…");
  const search = (text: string) => {
    setQuery(text);
    onSearch?.(text);
    const all = onSearch ? options : fitting(options, text).map((place) => options[place] as Option);
    // What the gateway finds comes later, in the place of these.
    const begins = onSearch
      ? 0
      : all.findIndex((one) => one.label.toLowerCase().startsWith(text.toLowerCase()));
    const first = Math.max(0, begins);
    setAt(text === "" && !onSearch ? Math.max(0, chosen) : onWay(all, first, first));
  };
  const forget = () => {
    if (query) onSearch?.("");
    setQuery("");
  };
  const begin = (to = Math.max(0, chosen)) => {
    // It may have been closed by a press elsewhere.
    forget();
    setAt(onWay(options, to, to));
    setOpen(true);
  };
  const end = () => {
    forget();
    close();
  };
  const choose = (to: number) => {
    const option = offered[to];
    if (option?.disabled) return;
    if (option && option.value !== value) onChange(option.value);
    end();
  };
  useEffect(() => {
    if (open) layer.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [open, at, query, layer]);
  useLayoutEffect(() => {
    if (!open || !long) return;
    // On a phone the field would call the keyboard, which hides the list. There one presses the field to search.
    if (!matchMedia("(pointer: coarse)").matches) field.current?.focus({ preventScroll: true });
  }, [open, long]);
  const write = (event: KeyboardEvent) => {
    if (long) {
      // Typed on the button: the first letter of a search, or one that came before the field had the focus.
      if (!open) begin();
      search(open ? query + event.key : event.key);
      return;
    }
    const { text, when } = typed.current;
    typed.current = {
      text: event.timeStamp - when < WORD_MS ? text + event.key : event.key,
      when: event.timeStamp,
    };
    const labels = options.map((one) => (one.disabled ? "" : one.label));
    const to = typedIn(labels, open ? at : chosen, typed.current.text);
    if (to !== undefined) begin(to);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.nativeEvent.isComposing) return;
    const inField = event.target === field.current;
    const step = open ? stepIn(event.key, at, offered.length) : undefined;
    // A blank belongs to a word that is being typed.
    const blank = !inField && event.key === " " && event.timeStamp - typed.current.when >= WORD_MS;
    if (step !== undefined) setAt(onWay(offered, at, step));
    else if (open && (event.key === "Enter" || blank)) choose(at);
    else if (open && event.key === "Tab") choose(at);
    else if (inField) return;
    else if (["ArrowDown", "ArrowUp", "Enter"].includes(event.key) || blank) begin();
    else if (event.key.length === 1 && !event.altKey) write(event);
    else return;
    if (event.key !== "Tab") event.preventDefault();
  };
  const active = open && offered[at] ? optionId(id, found[at]) : undefined;
  return (
    <div className="relative min-w-0" {...around}>
      <button
        {...button}
        ref={ref}
        type="button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={active}
        data-value={value}
        onClick={() => (open ? end() : begin())}
        onKeyDown={keys}
        className={className}
      >
        {before}
        <bdi className={cx("truncate", fills ? "w-0 flex-1" : "min-w-0")}>{shown}</bdi>
        <ChevronDown size={14} aria-hidden className="ml-auto shrink-0 text-fg-3" />
      </button>
      {name !== undefined && <input type="hidden" name={name} value={value} />}
      {open && (
        <div ref={layer} popover="manual" className={listOver}>
          {long && (
            <div className="relative shrink-0 border-line not-in-data-up:border-b in-data-up:border-t">
              <Search
                size={14}
                aria-hidden
                className="pointer-events-none absolute top-1/2 left-3 -translate-y-1/2 text-fg-3"
              />
              <input
                ref={field}
                type="text"
                role="combobox"
                aria-label="Search the options"
                aria-expanded
                aria-autocomplete="list"
                aria-controls={`${id}-list`}
                aria-activedescendant={active}
                autoComplete="off"
                spellCheck="false"
                placeholder="Search"
                value={query}
                onInput={(event) => {
                  // What is typed here is no part of the form around the choice.
                  event.stopPropagation();
                  search(event.currentTarget.value);
                }}
                onKeyDown={keys}
                className="h-8 w-full bg-transparent pr-3 pl-8.5 text-body outline-none placeholder:text-fg-3 pointer-coarse:h-11 pointer-coarse:text-[16px]"
              />
            </div>
          )}
          <OpenList {...{ id, label, options, found, chosen, at }} onActive={setAt} onChoose={choose} />
          {long && (
            <p
              role="status"
              className={cx("px-3 text-small text-fg-3", offered.length > 0 ? "sr-only" : "pb-2")}
            >
              {offered.length === 0 ? "No option fits." : query && `${offered.length} fit.`}
            </p>
          )}
          {partial && (
            <p className="shrink-0 border-t border-line px-3 py-1.5 text-small text-fg-3">{partial}</p>
          )}
        </div>
      )}
    </div>
  );
}
