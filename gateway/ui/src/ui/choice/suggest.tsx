import { useEffect, useId, useState, type InputHTMLAttributes, type KeyboardEvent } from "react";
import { cx } from "../class";
import { stepIn } from "./keys";
import { useLayer } from "./layer";
import { listOver } from "./look";
import { OpenList, optionId } from "./open-list";
import { fitting, type Option } from "./options";

type Attributes = Omit<InputHTMLAttributes<HTMLInputElement>, "value" | "onChange" | "list">;

export interface Suggested {
  /** What may be meant. Any other text is taken as well. */
  options: readonly Option[];
  /** The name of the list of options. */
  listName: string;
  /** Under the list: why an option may be absent. */
  note?: string | undefined;
}

interface Props extends Attributes, Suggested {
  value: string;
  onChange: (value: string) => void;
}

const NONE = -1;

/**
 * A field with a list of what may be meant: https://www.w3.org/WAI/ARIA/apg/patterns/combobox/examples/combobox-autocomplete-list/
 * The list opens at a press, at an arrow and while one types. The text stays as it is until an option is chosen.
 */
export function Suggest({ value, options, listName, onChange, note, className, ...input }: Props) {
  const { open, setOpen, close, around, button: ref, layer } = useLayer<HTMLInputElement>({ over: true });
  const id = useId();
  const [at, setAt] = useState(NONE);
  const chosen = options.findIndex((one) => one.value === value);
  // Who opens the list of a chosen option wants to see the others.
  const found = open ? fitting(options, chosen < 0 ? value : "") : [];
  const shown = open && (found.length > 0 || note !== undefined);
  const active = shown && at >= 0 ? found[at] : undefined;
  useEffect(() => {
    if (shown) layer.current?.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [shown, at, layer]);
  const begin = () => {
    setAt(NONE);
    setOpen(true);
  };
  const choose = (to: number) => {
    const option = options[found[to] ?? NONE];
    if (option) onChange(option.value);
    close();
  };
  const keys = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
    const arrow = event.key === "ArrowDown" || event.key === "ArrowUp";
    // Home and End move the caret in the text.
    const steps = arrow || event.key.startsWith("Page");
    if (arrow && !open) begin();
    else if (arrow && at === NONE) setAt(event.key === "ArrowDown" ? 0 : found.length - 1);
    else if (shown && steps) setAt(stepIn(event.key, at, found.length) ?? at);
    else if (event.key === "Enter" && active !== undefined) choose(at);
    else return;
    event.preventDefault();
  };
  // An Escape that closes no list belongs to the dialog around it.
  const root = shown ? around : { ...around, onKeyDown: undefined };
  return (
    <div className="relative min-w-0" {...root}>
      <input
        {...input}
        ref={ref}
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={found.length > 0}
        aria-controls={found.length > 0 ? `${id}-list` : undefined}
        aria-activedescendant={active === undefined ? undefined : optionId(id, active)}
        autoComplete="off"
        spellCheck="false"
        value={value}
        onChange={(event) => {
          onChange(event.target.value);
          begin();
        }}
        onClick={() => (open ? setOpen(false) : begin())}
        onKeyDown={keys}
        className={className}
      />
      {open && (
        <div ref={layer} popover="manual" className={cx(listOver, !shown && "invisible")}>
          {found.length > 0 && (
            <OpenList
              {...{ id, label: listName, options, found, chosen, at }}
              onActive={setAt}
              onChoose={choose}
            />
          )}
          {note && (
            <p
              role="status"
              className="shrink-0 border-line px-3 py-1.5 text-small text-fg-3 not-first:border-t"
            >
              {note}
            </p>
          )}
        </div>
      )}
    </div>
  );
}
