import { useState, type ReactNode } from "react";
import type { Door } from "~/api/doors";
import { bytes, number } from "~/ui/bytes";
import { Button } from "~/ui/button";
import { CopyText } from "~/ui/copy";
import { visible } from "~/ui/visible";
import { counted } from "./words";

type Offered = NonNullable<Door["packages"]>;

/** Packages that a card names before it is opened. */
const FEW = 8;

function Line({ mark, name, children }: { mark: string; name: string; children: ReactNode }) {
  return (
    <li className="break-words">
      <span className="inline-block w-4 font-mono text-fg-3" aria-hidden>
        {mark}
      </span>
      <bdi className="font-mono text-small">{visible(name)}</bdi> {children}
    </li>
  );
}

const Version = ({ of }: { of: string }) => <bdi className="font-mono text-small">{visible(of)}</bdi>;

/** Every line: what comes first, because only that is fetched. */
function linesOf({ added, changed, removed, removed_count, left_out, left_out_count }: Offered) {
  const more = (count: number, named: number, what: string) =>
    count > named
      ? [<li key={`more ${what}`} className="text-fg-3">{`and ${number(count - named)} more, ${what}`}</li>]
      : [];
  return [
    ...added.map(({ name, version }) => (
      <Line key={`+${name} ${version}`} mark="+" name={name}>
        <Version of={version} /> <span className="text-small text-fg-2">is new</span>
      </Line>
    )),
    ...changed.map(({ name, from, to }) => (
      <Line key={`~${name} ${to}`} mark="~" name={name}>
        {from === to ? (
          <>
            <Version of={to} /> <span className="text-small text-waiting">has another hash than before</span>
          </>
        ) : (
          <>
            <Version of={from} /> <span className="text-small text-fg-2">becomes</span> <Version of={to} />
          </>
        )}
      </Line>
    )),
    ...removed.map(({ name, version }) => (
      <Line key={`-${name} ${version}`} mark="-" name={name}>
        <Version of={version} />{" "}
        <span className="text-small text-fg-2">is not in the lock file any more</span>
      </Line>
    )),
    ...more(removed_count, removed.length, "removed"),
    ...left_out.map(({ name, why }) => (
      <Line key={`!${name} ${why}`} mark="!" name={name}>
        <span className="text-small text-fg-2">
          does not come: <bdi>{visible(why)}</bdi>
        </span>
      </Line>
    )),
    ...more(left_out_count, left_out.length, "not supplied"),
  ];
}

interface Props {
  of: Offered;
  /** Nothing is folded: before it is approved, everything must have been on screen. */
  whole?: boolean;
}

/** The packages that are fetched. The gateway read them from the lock file; their names come from it. */
export function Packages({ of, whole = false }: Props) {
  const [open, setOpen] = useState(whole);
  const lines = linesOf(of);
  const folds = !whole && lines.length > FEW;
  return (
    <section aria-label="What is fetched" className="min-w-0 rounded-control border border-line">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 px-3 py-2">
        <CopyText text={of.path} what="path" />
        <code className="text-fg-3" title={`SHA-256 ${of.sha256}`}>
          {of.sha256.slice(0, 12)}
        </code>
        <span className="text-small text-fg-2">
          {counted(of.added.length, "new package")}, {number(of.changed.length)} changed,{" "}
          {number(of.removed_count)} removed, lock file of {bytes(of.bytes)}
        </span>
        <span className="grow" />
        {folds && (
          <Button aria-expanded={open} onClick={() => setOpen((before) => !before)}>
            {open ? "Show fewer" : `Show all ${number(lines.length)}`}
          </Button>
        )}
      </div>
      <ul aria-label="Packages" className="border-t border-line px-3 py-2">
        {open || !folds ? lines : lines.slice(0, FEW)}
      </ul>
    </section>
  );
}
