import { Link } from "@tanstack/react-router";
import { ChevronRight } from "lucide-react";
import { useState, type ReactNode } from "react";
import type { Owner } from "~/api/sandboxes";
import { bytes } from "~/ui/bytes";
import { cx, textLink } from "~/ui/class";
import { OwnerLink, type useOwners } from "~/ui/owner-link";
import { money } from "~/ui/run-state";
import { inlineCode } from "~/ui/inline-code";
import { Status } from "~/ui/status";
import { Ago, duration, span, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { isFailed, type Entry, type Line, type Who } from "./model";
import type { Scope } from "./sources";

/** What rows need to know to name people and things. */
export interface Known {
  scope: Scope;
  me: string | undefined;
  owners: ReturnType<typeof useOwners>;
  output: (owner: Owner, op: string) => ReactNode;
}

const strong = "font-[550]";

function Someone({ who: said, known: { me, owners } }: { who: Who; known: Known }) {
  const inside = said.kind === "inside" ? owners(said.place) : undefined;
  const who: Who = inside?.owner.kind === "claw" ? { kind: "agent", id: inside.owner.id } : said;
  switch (who.kind) {
    case "person":
      return <bdi className={strong}>{who.id !== undefined && who.id === me ? "You" : who.name}</bdi>;
    case "agent": {
      const name = who.name ?? owners(who.id)?.name;
      if (name === undefined) return <span className={strong}>A deleted agent</span>;
      return (
        <Link
          to="/claws/$id"
          params={{ id: who.id }}
          className={cx(strong, "rounded-control hover:text-accent hover:underline")}
        >
          <bdi>{visible(name)}</bdi>
        </Link>
      );
    }
    case "inside":
      if (!inside) return <span className={strong}>A deleted agent</span>;
      return (
        <>
          <span className={strong}>An agent</span> of{" "}
          <OwnerLink owner={inside.owner} className={textLink}>
            <bdi>{visible(inside.name)}</bdi>
          </OwnerLink>
        </>
      );
    case "somebody":
      return <span className={strong}>A person</span>;
    case "roost":
      return <span className={strong}>Roost</span>;
  }
}

/** In whose sandbox it happened, where the page is not about that. */
function Place({ entry: { place, who }, known: { scope, owners } }: { entry: Entry; known: Known }) {
  if (place === undefined || (scope.kind !== "node" && scope.kind !== "workspace")) return null;
  if (who.kind === "inside") return null;
  const whose = owners(place);
  if (!whose) return null;
  return (
    <>
      {" "}
      in the sandbox of{" "}
      <OwnerLink owner={whose.owner} className={textLink}>
        <bdi>{visible(whose.name)}</bdi>
      </OwnerLink>
    </>
  );
}

function Thing({ thing, known: { scope } }: { thing: NonNullable<Entry["thing"]>; known: Known }) {
  const { text, to } = thing;
  const name = <bdi>{text}</bdi>;
  // A page does not lead to itself.
  if (!to || ("id" in scope && scope.id === to.id)) return <span className={strong}>{name}</span>;
  return (
    <Link to={to.to} params={{ id: to.id }} className={cx(strong, textLink)}>
      {name}
    </Link>
  );
}

/** As much of a command as is read at a glance; its tooltip has more. */
const MOST = 300;

export function Sentence({ entry, known }: { entry: Entry; known: Known }) {
  const { who, before, thing, after, code, worker } = entry;
  const to = worker !== undefined && known.scope.kind === "workspace" ? known.owners(worker) : undefined;
  return (
    <p className="min-w-0 break-words">
      <Someone who={who} known={known} />{" "}
      {to ? (
        <>
          gave{" "}
          <OwnerLink owner={to.owner} className={textLink}>
            <bdi>{visible(to.name)}</bdi>
          </OwnerLink>{" "}
          the work
        </>
      ) : (
        <bdi>{before}</bdi>
      )}
      {thing && (
        <>
          {" "}
          <Thing thing={thing} known={known} />
        </>
      )}
      {after && <bdi> {after}</bdi>}
      {code && (
        <>
          {" "}
          <code
            title={code.slice(0, 2000)}
            className={cx(
              "font-mono text-small break-all whitespace-pre-wrap",
              isFailed(entry) ? "text-failed" : "text-fg-2",
            )}
          >
            {code.length > MOST ? `${code.slice(0, MOST)} …` : code}
          </code>
        </>
      )}
      <Place entry={entry} known={known} />
    </p>
  );
}

function Elapsed({ since }: { since: string }) {
  return <>{span(useNow() - Date.parse(since))}</>;
}

/** How long it took, what it cost, and when it was. */
export function Figures({ entry: { took, since, cost, at, step } }: { entry: Entry }) {
  return (
    <p className="flex flex-wrap items-baseline justify-end gap-x-3 text-small leading-5 text-fg-3 tabular-nums">
      {step && <span>{step}</span>}
      {cost !== undefined && cost > 0 && <span>{money(cost)}</span>}
      {since !== undefined && <Elapsed since={since} />}
      {since === undefined && took !== undefined && took !== null && <span>{duration(took)}</span>}
      <Ago at={at} />
    </p>
  );
}

export function Results({ results }: Pick<Entry, "results">) {
  return (
    <span className="flex flex-col gap-0.5 max-sm:flex-row max-sm:flex-wrap max-sm:gap-x-3">
      {results.map((one) => (
        <Status key={one.word} {...one} className={one.tone === "running" ? "pulse" : ""} />
      ))}
    </span>
  );
}

/** State, sentence and figures are on one baseline. On a phone the state and the figures share the first line. */
export const grid =
  "grid grid-cols-[auto_minmax(0,1fr)] items-baseline gap-x-4 gap-y-0.5 px-4 py-2 sm:grid-cols-[104px_minmax(0,1fr)_auto]";
export const text = "min-w-0 max-sm:order-1 max-sm:col-span-2";

/** One thing that happened. A command shows what it wrote when a person asks for it. */
export function EntryRow({ line, known }: { line: Line; known: Known }) {
  const { entry, same } = line;
  const { command, detail, results } = entry;
  const [open, setOpen] = useState(false);
  const { op, size } = command ?? {};
  const owner = command && (command.owner ?? known.owners(entry.place ?? "")?.owner);
  const shows = owner !== undefined && op !== undefined && size !== 0;
  const more = shows || same.length > 0;
  return (
    <div className={grid}>
      <Results results={results} />
      <div className={text}>
        <div className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
          <Sentence entry={entry} known={known} />
          {more && (
            <button
              type="button"
              aria-expanded={open}
              onClick={() => setOpen(!open)}
              // The arrow is out of the line, so that the word is on the baseline of the sentence.
              className="relative -ml-1 min-h-[24px] rounded-control pr-1 pl-4 text-small text-fg-3 hover:text-fg pointer-coarse:min-h-11"
            >
              <ChevronRight
                size={14}
                aria-hidden
                className={cx(
                  "absolute top-[calc(50%-7px)] left-0 transition-transform",
                  open && "rotate-90",
                )}
              />
              {same.length > 0 ? `${same.length + 1} times` : open ? "Hide the output" : "Show the output"}
              {same.length === 0 && size !== undefined && `, ${bytes(size)}`}
            </button>
          )}
        </div>
        {detail && <p className="break-words text-fg-2">{inlineCode(detail)}</p>}
        {open && shows && same.length === 0 && known.output(owner, op)}
        {open && same.length > 0 && (
          <ul className="mt-1 flex flex-col gap-2 border-l border-line pl-3">
            {[entry, ...same].map((one) => (
              <li key={one.id} className="min-w-0">
                <Figures entry={one} />
                {one.command && owner && known.output(owner, one.command.op)}
              </li>
            ))}
          </ul>
        )}
      </div>
      <Figures entry={entry} />
    </div>
  );
}
