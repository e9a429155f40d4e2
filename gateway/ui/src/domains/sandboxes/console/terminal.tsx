// A shell with a terminal of its own. Loaded only when opened, because the terminal is heavy.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "react";
import { asProblem, type Problem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { ProblemNote } from "~/ui/problem";
import { follow, Input, resize, type Exit } from "./exec";
import { withQuietStyles } from "./quiet-styles";

function colours() {
  const style = getComputedStyle(document.documentElement);
  const token = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    background: token("sunken"),
    foreground: token("fg"),
    cursor: token("accent"),
    cursorAccent: token("sunken"),
    selectionBackground: `${token("accent")}55`,
  };
}

interface End {
  exit?: Exit;
  problem?: Problem;
}

/** Connects a terminal to a shell, from the begin of what is kept of its output. */
async function connect(
  owner: Owner,
  op: string,
  term: Terminal,
  signal: AbortSignal,
  onEnd: (end: End) => void,
  onLink: (live: boolean) => void,
) {
  const encoder = new TextEncoder();
  const input = new Input(owner, op, undefined, (problem) => onEnd({ problem }));
  const write = (bytes: Uint8Array) => input.write(bytes);
  const typed = term.onData((text) => write(encoder.encode(text)));
  const binary = term.onBinary((text) => write(Uint8Array.from(text, (char) => char.charCodeAt(0))));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = ({ rows, cols }: { rows: number; cols: number }) =>
    void resize(owner, op, rows, cols).catch(() => undefined);
  const sized = term.onResize((next) => {
    clearTimeout(timer);
    timer = setTimeout(() => send(next), 120);
  });
  send(term);
  let next = 0;
  await follow(
    owner,
    op,
    () => next,
    {
      output: (_stream, offset, bytes) => {
        const fresh = bytes.subarray(Math.max(0, next - offset));
        next = Math.max(next, offset + bytes.length);
        term.write(fresh);
      },
      gap: (_from, to) => (next = Math.max(next, to)),
      exit: (exit) => onEnd({ exit }),
      refused: (problem) => onEnd({ problem }),
      link: onLink,
    },
    signal,
  );
  [typed, binary, sized].forEach((one) => one.dispose());
}

/** How a shell ended, in words. */
/** The operator sets whole hours. */
const hours = (seconds: number) => {
  const count = Math.round(seconds / 3600);
  return count === 1 ? "an hour" : `${count} hours`;
};

function endOf({ code, state, detail }: Exit): string {
  if (detail) return `The shell has ended: ${detail}`;
  if (state === "cancelled") return "The shell was ended, or nobody had read it for too long.";
  return `The shell has ended${code === null ? "" : ` with ${code}`}.`;
}

interface Props {
  owner: Owner;
  op: string;
  /** It ends when nobody has read it for so many seconds. */
  unread: number | null | undefined;
  onEnd: () => void;
  onNew: () => void;
}

/** One shell. It lives on when this is closed: its address opens it again, in any tab. */
export function ShellTerminal({ owner: { kind, id }, op, unread, onEnd, onNew }: Props) {
  const place = useRef<HTMLDivElement>(null);
  const [end, setEnd] = useState<End>();
  const [linked, setLinked] = useState(true);

  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const stop = new AbortController();
    const term = new Terminal({
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue("--font-mono") || "monospace",
      fontSize: 13,
      lineHeight: 1.25,
      cursorBlink: false,
      scrollback: 5000,
      minimumContrastRatio: 4.5,
      theme: colours(),
      allowProposedApi: false,
    });
    const fit = new FitAddon();
    term.loadAddon(fit);
    withQuietStyles(() => term.open(element));
    // A terminal swallows Tab; this chord is the documented way out of it.
    term.attachCustomKeyEventHandler((event) => {
      const leave = event.ctrlKey && event.shiftKey && event.code === "Period";
      if (leave && event.type === "keydown")
        document.querySelector<HTMLElement>("[data-after-terminal]")?.focus();
      return !leave;
    });
    fit.fit();
    term.focus();
    const watch = new ResizeObserver(() => fit.fit());
    watch.observe(element);
    const theme = new MutationObserver(() => (term.options.theme = colours()));
    theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
    const finish = (end: End) => {
      setEnd(end);
      onEnd();
    };
    void connect({ kind, id }, op, term, stop.signal, finish, setLinked).catch((error: unknown) =>
      finish({ problem: asProblem(error) }),
    );
    return () => {
      stop.abort();
      watch.disconnect();
      theme.disconnect();
      term.dispose();
    };
    // The functions only tell.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [kind, id, op]);

  return (
    <div className="flex min-h-0 flex-1 flex-col bg-sunken">
      <div ref={place} className="min-h-0 flex-1 overflow-hidden px-3 pt-2" />
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-t border-line bg-surface px-4 py-1.5 text-small text-fg-3">
        <span role="status">
          {end?.exit
            ? endOf(end.exit)
            : linked
              ? `Ctrl Shift . leaves the terminal. The shell lives until you end it or its sandbox${unread ? `, or nobody reads it for ${hours(unread)}` : ""}.`
              : "Reconnecting. What you type is kept."}
        </span>
        <Button data-after-terminal className="h-6 text-small" disabled={!end} onClick={onNew}>
          New shell
        </Button>
      </div>
      {end?.problem && <ProblemNote problem={end.problem} className="m-3" />}
    </div>
  );
}
