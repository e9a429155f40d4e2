import { Check, ChevronDown } from "lucide-react";
import {
  Fragment,
  useEffect,
  useId,
  useRef,
  useState,
  type ButtonHTMLAttributes,
  type KeyboardEvent,
  type ReactNode,
} from "react";
import { cx } from "../class";
import { stepIn, typedIn } from "./keys";
import { useLayer } from "./layer";
import { over } from "./look";
import { onWay, type Option } from "./options";

type Attributes = Omit<ButtonHTMLAttributes<HTMLButtonElement>, "value" | "onChange" | "name">;

interface Props extends Attributes {
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

/** One of several values. The focus stays on the button, which names the active option of the list below it. */
export function Box({ label, value, options, onChange, fills, before, name, className, ...button }: Props) {
  const { open, setOpen, close, around, button: ref, layer } = useLayer({ over: true });
  const id = useId();
  const chosen = options.findIndex((one) => one.value === value);
  const [at, setAt] = useState(0);
  const typed = useRef({ text: "", when: -Infinity });
  const shown = options[chosen]?.label ?? (options.length > 1 ? "One that is gone" : "…");
  const begin = (to = Math.max(0, chosen)) => {
    setAt(onWay(options, to, to));
    setOpen(true);
  };
  const choose = (to: number) => {
    const option = options[to];
    if (option?.disabled) return;
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
    const labels = options.map((one) => (one.disabled ? "" : one.label));
    const to = typedIn(labels, open ? at : chosen, typed.current.text);
    if (to !== undefined) begin(to);
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey) return;
    const step = open ? stepIn(event.key, at, options.length) : undefined;
    // A blank belongs to a word that is being typed.
    const blank = event.key === " " && event.timeStamp - typed.current.when >= WORD_MS;
    if (step !== undefined) setAt(onWay(options, at, step));
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
        {...button}
        ref={ref}
        type="button"
        role="combobox"
        aria-haspopup="listbox"
        aria-expanded={open}
        aria-controls={open ? `${id}-list` : undefined}
        aria-activedescendant={open ? `${id}-${at}` : undefined}
        data-value={value}
        onClick={() => (open ? close() : begin())}
        onKeyDown={keys}
        className={className}
      >
        {before}
        <bdi className={cx("truncate", fills ? "w-0 flex-1" : "min-w-0")}>{shown}</bdi>
        <ChevronDown size={14} aria-hidden className="ml-auto shrink-0 text-fg-3" />
      </button>
      {name !== undefined && <input type="hidden" name={name} value={value} />}
      {open && (
        <div
          ref={layer}
          id={`${id}-list`}
          role="listbox"
          popover="manual"
          aria-label={label}
          tabIndex={-1}
          className={over}
        >
          {options.map((option, place) => (
            <Fragment key={option.value}>
              {option.group !== undefined && option.group !== options[place - 1]?.group && (
                <div aria-hidden className="px-2 pt-2 pb-1 text-small text-fg-3">
                  {option.group}
                </div>
              )}
              {/* Reached with the keys of the button, which names the active option. */}
              {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus */}
              <div
                id={`${id}-${place}`}
                role="option"
                aria-selected={place === chosen}
                aria-disabled={option.disabled || undefined}
                data-active={place === at || undefined}
                data-value={option.value}
                onPointerDown={(event) => event.preventDefault()}
                onPointerMove={() => place !== at && !option.disabled && setAt(place)}
                onClick={() => choose(place)}
                className="flex min-h-7 cursor-pointer items-center gap-2 rounded-control px-2 py-1 aria-disabled:cursor-not-allowed aria-disabled:text-fg-3 data-active:bg-line/70 pointer-coarse:min-h-11"
              >
                <Check size={14} aria-hidden className={cx("shrink-0", place !== chosen && "invisible")} />
                <span className="min-w-0">
                  <bdi className="block truncate">{option.label}</bdi>
                  {option.note && <span className="line-clamp-2 text-small text-fg-3">{option.note}</span>}
                </span>
                {option.group !== undefined && <span className="sr-only">, {option.group}</span>}
              </div>
            </Fragment>
          ))}
        </div>
      )}
    </div>
  );
}
