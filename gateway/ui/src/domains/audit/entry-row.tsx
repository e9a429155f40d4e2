import { Link } from "@tanstack/react-router";
import type { AuditEntry } from "~/api/types";
import { Button } from "~/ui/button";
import { cx } from "~/ui/class";
import { CopyText } from "~/ui/copy";
import { Avatar } from "~/ui/person";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { byRoost, sentence, who } from "~/ui/audit-words";

/** Where things are shown whose pages have no address of their own. */
const SHOWN = {
  app_connection: "/connections",
  repo_connection: "/repos",
  mesh_network: "/mesh",
} as const;
const isShown = (kind: string): kind is keyof typeof SHOWN => Object.hasOwn(SHOWN, kind);

/** Things that have a page of their own. */
const PAGES = {
  claw: "/claws/$id",
  door: "/approvals/$id",
  node: "/fleet/$id",
  team: "/teams/$id",
  mission: "/missions/$id",
  run: "/runs/$id",
} as const;
const hasPage = (kind: string): kind is keyof typeof PAGES => Object.hasOwn(PAGES, kind);
/** Actions after which the thing has no page any more. */
const ENDS = ["claw.purge_begun", "node.deleted", "team.deleted"];

function Thing({ entry, name }: { entry: AuditEntry; name: string }) {
  const look = "rounded-control font-[550] hover:text-accent hover:underline";
  const { entity_kind: kind, entity_id: id } = entry;
  if (hasPage(kind) && !ENDS.includes(entry.action))
    return (
      <Link to={PAGES[kind]} params={{ id }} className={look}>
        <bdi>{name}</bdi>
      </Link>
    );
  if (isShown(kind))
    return (
      <Link to={SHOWN[kind]} className={look}>
        <bdi>{name}</bdi>
      </Link>
    );
  return <bdi className="font-[550]">{name}</bdi>;
}

function Mark({ link }: { link: AuditEntry["link"] }) {
  if (!link) return <Status tone="moving" word="Being linked" />;
  if (!link.intact) return <Status tone="failed" word="Changed since" />;
  return <Status tone="done" word={`Link ${link.position}`} />;
}

interface Props {
  entry: AuditEntry;
  /** No longer of what is asked for; stays while somebody reads. */
  gone: boolean;
  only: (thing: string) => void;
}

/** One thing that somebody did, as a sentence; its particulars unfold. */
export function EntryRow({ entry, gone, only }: Props) {
  const [before, name, after] = sentence(entry);
  return (
    <li className={cx("border-b border-line px-4 py-2 last:border-0", gone && "opacity-60")}>
      <details>
        <summary aria-labelledby={`entry-${entry.id}`} className="cursor-pointer rounded-control">
          <span
            id={`entry-${entry.id}`}
            className="inline-flex w-[calc(100%-20px)] flex-wrap items-baseline justify-between gap-x-4 gap-y-1 align-top"
          >
            <span className="min-w-0 break-words">
              {entry.by && !byRoost(entry) && (
                <Avatar user={entry.by} className="mr-1.5 size-5 align-middle text-[9px]" />
              )}
              <bdi>{who(entry)}</bdi> <bdi>{before}</bdi>
              {name !== undefined && (
                <b className="font-[550]">
                  <bdi>{name}</bdi>
                </b>
              )}
              {after}
            </span>
            <span className="flex items-center gap-4 text-small text-fg-3">
              <Mark link={entry.link} />
              <Ago at={entry.at} />
            </span>
          </span>
        </summary>
        <div className="mt-2 flex flex-col gap-2 pl-4 text-small">
          <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1">
            <dt className="text-fg-3">Action</dt>
            <dd className="font-mono">{entry.action}</dd>
            <dt className="text-fg-3">Thing</dt>
            <dd className="min-w-0">
              {name !== undefined && <Thing entry={entry} name={name} />}{" "}
              <CopyText text={entry.entity_id} what="id of the thing" />
            </dd>
            <dt className="text-fg-3">By</dt>
            <dd className="min-w-0 break-words">
              <bdi>{byRoost(entry) ? "Roost itself" : (entry.by?.email ?? entry.actor)}</bdi>
            </dd>
            {entry.link && (
              <>
                <dt className="text-fg-3">Hash</dt>
                <dd className="min-w-0 font-mono break-all">{entry.link.sha256}</dd>
              </>
            )}
          </dl>
          <pre className="font-mono break-words whitespace-pre-wrap">
            {JSON.stringify(entry.details, null, 2)}
          </pre>
          <div>
            <Button onClick={() => only(`${entry.entity_kind}:${entry.entity_id}`)}>
              Show all events for this item
            </Button>
          </div>
        </div>
      </details>
    </li>
  );
}
