// A shell with a terminal of its own. Loaded only when opened, because the terminal is heavy.
import { FitAddon } from "@xterm/addon-fit";
import { Terminal } from "@xterm/xterm";
import "@xterm/xterm/css/xterm.css";
import { useEffect, useRef, useState } from "react";
import { asProblem, type Problem } from "~/api/problem";
import type { Owner } from "~/api/sandboxes";
import { Button } from "~/ui/button";
import { ProblemNote } from "~/ui/problem";
import { follow, Input, resize, start, type Exit } from "./exec";
import { withQuietStyles } from "./quiet-styles";

const key = (owner: Owner) => `roost-shell:${owner.id}`;

/** The best shell there is. An `exec` that fails ends the shell that tried, so it looks first. */
const SHELL = ["/bin/sh", "-c", "command -v bash >/dev/null && exec bash -l; exec sh -l"];

interface Kept {
  op: string;
  stdin: number;
}

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

function kept(owner: Owner): Kept | undefined {
  try {
    return (JSON.parse(sessionStorage.getItem(key(owner)) ?? "null") as Kept | null) ?? undefined;
  } catch {
    return undefined;
  }
}

interface End {
  exit?: Exit;
  problem?: Problem;
}

/** Connects a terminal to a shell: the one of before where it still runs, otherwise a new one. */
async function connect(
  owner: Owner,
  term: Terminal,
  signal: AbortSignal,
  onEnd: (end: End) => void,
  onLink: (live: boolean) => void,
) {
  const size = { rows: term.rows, cols: term.cols };
  let before = kept(owner);
  const keep = (op: string, stdin: number) =>
    sessionStorage.setItem(key(owner), JSON.stringify({ op, stdin } satisfies Kept));
  // The terminal has the focus before its shell exists; what is typed until then waits for it.
  const early: Uint8Array[] = [];
  let write = (bytes: Uint8Array): void => {
    early.push(bytes);
  };
  const encoder = new TextEncoder();
  const typed = term.onData((text) => write(encoder.encode(text)));
  const binary = term.onBinary((text) => write(Uint8Array.from(text, (char) => char.charCodeAt(0))));
  before ??= { op: await start(owner, { argv: SHELL, tty: size }), stdin: 0 };
  const { op } = before;
  keep(op, before.stdin);
  if (signal.aborted) return;
  const input = new Input(
    owner,
    op,
    before.stdin,
    (problem) => onEnd({ problem }),
    (offset) => keep(op, offset),
  );
  write = (bytes) => input.write(bytes);
  early.forEach(write);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const send = ({ rows, cols }: { rows: number; cols: number }) =>
    void resize(owner, op, rows, cols).catch(() => undefined);
  const sized = term.onResize((next) => {
    clearTimeout(timer);
    timer = setTimeout(() => send(next), 120);
  });
  send(term);
  let next = 0;
  const finish = (end: End) => {
    sessionStorage.removeItem(key(owner));
    onEnd(end);
  };
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
      exit: (exit) => finish({ exit }),
      refused: (problem) => finish({ problem }),
      link: onLink,
    },
    signal,
  );
  [typed, binary, sized].forEach((one) => one.dispose());
}

export function ShellTerminal({ owner: { kind, id } }: { owner: Owner }) {
  const place = useRef<HTMLDivElement>(null);
  const [end, setEnd] = useState<End>();
  const [linked, setLinked] = useState(true);
  const [round, setRound] = useState(0);

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
    void connect({ kind, id }, term, stop.signal, setEnd, setLinked).catch((error: unknown) =>
      setEnd({ problem: asProblem(error) }),
    );
    return () => {
      stop.abort();
      watch.disconnect();
      theme.disconnect();
      term.dispose();
    };
    // A new round means a new shell in a fresh terminal.
    // oxlint-disable-next-line react/exhaustive-effect-dependencies, react/exhaustive-deps
  }, [kind, id, round]);

  const again = () => {
    setEnd(undefined);
    setRound(round + 1);
  };
  return (
    <div className="flex min-h-0 flex-1 flex-col bg-sunken">
      <div ref={place} className="min-h-0 flex-1 overflow-hidden px-3 pt-2" />
      <div className="flex min-h-10 flex-wrap items-center justify-between gap-2 border-t border-line bg-surface px-4 py-1.5 text-small text-fg-3">
        <span role="status">
          {end?.exit
            ? `The shell has ended${end.exit.code === null ? "" : ` with ${end.exit.code}`}.`
            : linked
              ? "Ctrl Shift . leaves the terminal"
              : "Reconnecting. What you type is kept."}
        </span>
        <Button data-after-terminal className="h-6 text-small" disabled={!end} onClick={again}>
          New shell
        </Button>
      </div>
      {end?.problem && <ProblemNote problem={end.problem} className="m-3" />}
    </div>
  );
}
