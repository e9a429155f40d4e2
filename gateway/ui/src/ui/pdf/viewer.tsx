// The pages of a PDF in a column of their own, with the number of the page, the zoom and the download above them.
import { ChevronDown, ChevronUp, Download, Minus, Plus } from "lucide-react";
import {
  useCallback,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type RefObject,
} from "react";
import { Button, buttonClass, IconButton } from "~/ui/button";
import { cx } from "~/ui/class";
import { inputClass } from "~/ui/input-class";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { faultOf, open, type Fault, type Opened, type Size } from "./document";
import { fitting, GAP, near, pageAt, placed, scaleOf, zoomed } from "./model";
import { PdfPage } from "./page";
import "./pdf.css";

interface Source {
  /** Requests the bytes. Answers `undefined` when there are too many of them. */
  load: (signal: AbortSignal) => Promise<Uint8Array | undefined>;
  /** The name of the document. */
  name: string;
  /** The address of the download. */
  href: string;
}

const FAULTS: Record<Fault | "large", string> = {
  damaged: "This PDF is damaged, so its pages cannot be shown. Download it to try another program.",
  protected: "This PDF is protected with a password. Download it and open it in another program.",
  unavailable: "The PDF viewer did not start. Reload the page, or download the PDF.",
  large: "This PDF is too large for the page. Download it and open it in another program.",
};

type State =
  | { is: "loading" }
  | { is: "open"; opened: Opened }
  | { is: "refused"; error: unknown }
  | { is: "faulty"; fault: Fault | "large" };

function useOpened(load: Source["load"]) {
  const [state, setState] = useState<State>({ is: "loading" });
  const [turn, setTurn] = useState(0);
  // The page makes the function anew with each render; the viewer has a key for each document.
  const latest = useRef(load);
  useEffect(() => {
    const leave = new AbortController();
    let close: (() => void) | undefined;
    const show = (next: State) => !leave.signal.aborted && setState(next);
    const start = async () => {
      const data = await latest.current(leave.signal);
      if (leave.signal.aborted) return;
      if (!data) return show({ is: "faulty", fault: "large" });
      const made = open(data);
      ({ close } = made);
      try {
        show({ is: "open", opened: await made.opened });
      } catch (error) {
        show({ is: "faulty", fault: faultOf(error) });
      }
    };
    start().catch((error: unknown) => show({ is: "refused", error }));
    return () => {
      leave.abort();
      close?.();
    };
  }, [turn]);
  const retry = () => {
    setState({ is: "loading" });
    setTurn(turn + 1);
  };
  return [state, retry] as const;
}

const DownloadLink = ({ name, href }: { name: string; href: string }) => (
  <a href={href} download className={buttonClass()}>
    <Download size={14} aria-hidden />
    Download<span className="sr-only"> {name}</span>
  </a>
);

/** A PDF: on its way, refused, not readable, or its pages. */
export function PdfViewer({ load, name, href }: Source) {
  const [state, retry] = useOpened(load);
  if (state.is === "loading") return <Loading what="the PDF" rows={6} />;
  if (state.is === "refused") return <Failed error={state.error} retry={retry} />;
  if (state.is === "faulty")
    return (
      <div role="alert" className="flex flex-wrap items-center gap-3 px-4 py-3">
        <span className="min-w-0 flex-1 basis-64 text-fg-2">{FAULTS[state.fault]}</span>
        <DownloadLink name={name} href={href} />
      </div>
    );
  return <Pages opened={state.opened} name={name} />;
}

/** Width and height of an element, also when it changes. */
function useBox(place: RefObject<HTMLElement | null>): Size | undefined {
  const [box, setBox] = useState<Size>();
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) return undefined;
    const read = () => setBox({ width: element.clientWidth, height: element.clientHeight });
    const observer = new ResizeObserver(read);
    observer.observe(element);
    read();
    return () => observer.disconnect();
  }, [place]);
  return box;
}

/** The field with the number of the page: what a person types, else the page in view. */
function PageField({ page, pages, onGo }: { page: number; pages: number; onGo: (page: number) => void }) {
  const [typed, setTyped] = useState<string>();
  const go = () => {
    const wanted = Number(typed);
    setTyped(undefined);
    if (typed !== undefined && Number.isInteger(wanted) && wanted >= 1) onGo(Math.min(wanted, pages));
  };
  return (
    <label className="flex items-center gap-1.5 text-fg-2">
      Page
      <input
        inputMode="numeric"
        value={typed ?? String(page)}
        onChange={({ currentTarget }) => setTyped(currentTarget.value)}
        onBlur={() => setTyped(undefined)}
        onKeyDown={({ key }) => {
          if (key === "Enter") go();
        }}
        className={cx(inputClass, "h-7 !w-12 text-center")}
      />
      <span className="whitespace-nowrap">of {pages}</span>
    </label>
  );
}

/** What keys do while the pages have the focus. Others scroll. */
function keyOf({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): "in" | "out" | "fit" | 1 | -1 | undefined {
  if (ctrlKey || metaKey || altKey) return undefined;
  if (key === "+" || key === "=") return "in";
  if (key === "-") return "out";
  if (key === "0") return "fit";
  return key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : undefined;
}

function Pages({ opened: { pdf, size }, name }: { opened: Opened; name: string }) {
  const place = useRef<HTMLDivElement>(null);
  const box = useBox(place);
  /** Undefined: the pages fit the width. */
  const [chosen, setChosen] = useState<number>();
  const [sizes, setSizes] = useState<readonly Size[]>(() => Array.from({ length: pdf.numPages }, () => size));
  const [scroll, setScroll] = useState(0);
  const onSize = useCallback((number: number, real: Size) => {
    setSizes((now) => {
      const known = now[number - 1];
      if (known?.width === real.width && known.height === real.height) return now;
      return now.map((one, at) => (at === number - 1 ? real : one));
    });
  }, []);

  const zoom = chosen ?? fitting(box?.width ?? 0, size.width);
  const scale = scaleOf(zoom);
  const { tops, height } = useMemo(() => placed(sizes.map((one) => one.height * scale)), [sizes, scale]);
  const view = box?.height ?? 0;
  const [first, last] = near(tops, scroll, view);
  const page = pageAt(tops, scroll + view / 3);

  // Another zoom keeps what is in the middle of the view.
  const before = useRef<{ scale: number; height: number }>(undefined);
  useLayoutEffect(() => {
    const element = place.current;
    const was = before.current;
    // The pages have no size before the width of the column is known.
    before.current = box && { scale, height };
    if (!element || !was || was.scale === scale) return;
    const middle = element.clientHeight / 2;
    element.scrollTop = ((element.scrollTop + middle) / was.height) * height - middle;
    setScroll(element.scrollTop);
  }, [box, scale, height]);

  const go = (to: number) =>
    place.current?.scrollTo({ top: (tops[Math.min(Math.max(to, 1), tops.length) - 1] ?? 0) - GAP });
  const step = (direction: 1 | -1) => setChosen(zoomed(zoom, direction));

  return (
    <div>
      <div
        role="group"
        aria-label={`Tools of ${name}`}
        className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-1.5"
      >
        <span className="flex items-center gap-1">
          <IconButton label="Previous page" disabled={page === 1} onClick={() => go(page - 1)}>
            <ChevronUp size={16} aria-hidden />
          </IconButton>
          <IconButton label="Next page" disabled={page === pdf.numPages} onClick={() => go(page + 1)}>
            <ChevronDown size={16} aria-hidden />
          </IconButton>
          <PageField page={page} pages={pdf.numPages} onGo={go} />
        </span>
        <span className="flex items-center gap-1">
          <IconButton label="Zoom out" disabled={zoomed(zoom, -1) === zoom} onClick={() => step(-1)}>
            <Minus size={16} aria-hidden />
          </IconButton>
          <output aria-label="Zoom" className="w-12 text-center whitespace-nowrap text-fg-2 tabular-nums">
            {Math.round(zoom * 100)}%
          </output>
          <IconButton label="Zoom in" disabled={zoomed(zoom, 1) === zoom} onClick={() => step(1)}>
            <Plus size={16} aria-hidden />
          </IconButton>
          <Button look="quiet" aria-pressed={chosen === undefined} onClick={() => setChosen(undefined)}>
            Fit width
          </Button>
        </span>
      </div>
      {/* It scrolls, so the keyboard must reach it; its keys do what the buttons above do. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions */}
      <div
        ref={place}
        tabIndex={0}
        role="region"
        aria-label={`Pages of ${name}`}
        aria-keyshortcuts="+ - 0 ArrowLeft ArrowRight"
        className="h-[min(75vh,56rem)] overflow-auto bg-sunken focus-visible:-outline-offset-2"
        onScroll={({ currentTarget }) => setScroll(currentTarget.scrollTop)}
        onKeyDown={(event) => {
          const does = keyOf(event);
          const element = event.currentTarget;
          // Arrows move a page that is wider than the column.
          if (does === undefined || (typeof does === "number" && element.scrollWidth > element.clientWidth))
            return;
          event.preventDefault();
          event.stopPropagation();
          if (does === "in") step(1);
          else if (does === "out") step(-1);
          else if (does === "fit") setChosen(undefined);
          else go(page + does);
        }}
      >
        <div className="flex w-fit min-w-full flex-col px-3 pt-3">
          {box &&
            sizes.map((one, at) => (
              <PdfPage
                key={at}
                pdf={pdf}
                number={at + 1}
                size={one}
                scale={scale}
                near={at + 1 >= first && at + 1 <= last}
                onSize={onSize}
              />
            ))}
        </div>
      </div>
    </div>
  );
}
