import { ExternalLink } from "lucide-react";
import type { Door } from "~/api/doors";
import { Avatar } from "~/ui/person";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { ForeignText } from "./foreign-text";
import { pageOf, saysOf, stateOf } from "./words";

/** Where what was done can be seen. The address came from outside, so its host is said. */
function Seen({ address }: { address: string }) {
  const page = pageOf(address);
  if (!page) return <bdi className="font-mono text-small break-all">{visible(address)}</bdi>;
  return (
    <a
      href={page.href}
      target="_blank"
      rel="noopener noreferrer"
      className="inline-flex min-h-6 max-w-full items-center gap-1 rounded-control underline decoration-line-strong underline-offset-2 hover:text-accent"
    >
      <span className="truncate">
        Look at it on <bdi>{page.host}</bdi>
      </span>
      <ExternalLink size={12} aria-hidden className="shrink-0" />
      <span className="sr-only">(opens another tab)</span>
    </a>
  );
}

/** Who decided, when. */
export function Decided({ door, own }: { door: Door; own: string | undefined }) {
  if (door.allowed_by_setting && door.decided_at)
    return (
      <span>
        by the workspace's setting, <Ago at={door.decided_at} />
      </span>
    );
  if (!door.decided_by && !door.decided_at) return null;
  const name = door.decided_by?.name || door.decided_by?.email;
  return (
    <span>
      {door.decided_by && (
        <>
          by <Avatar user={door.decided_by} className="mr-1 size-4 align-middle text-[8px]" />
          {door.decided_by.id === own ? "you" : <bdi>{name}</bdi>}
          {door.decided_at && ", "}
        </>
      )}
      {door.decided_at && <Ago at={door.decided_at} />}
    </span>
  );
}

/** What was decided, and what came of it. */
export function Outcome({ door, own }: { door: Door; own: string | undefined }) {
  const state = stateOf(door.state);
  const says = saysOf(door);
  const { status, url, message } = door.result ?? {};
  return (
    <div className="flex flex-col gap-1">
      <p className="flex flex-wrap items-center gap-x-2">
        <Status tone={state.tone} word={state.word} />
        <span className="text-small text-fg-3">
          <Decided door={door} own={own} />
        </span>
      </p>
      {says && <p className="text-fg-2">{says}</p>}
      {status != null && <p className="text-small text-fg-2">The app answered {status}.</p>}
      {/* With a status the words are the app's, otherwise they are the reason of the gateway or of the person. */}
      {message &&
        (status == null && (door.state === "failed" || door.state === "denied") ? (
          <p className="break-words text-fg-2">Reason: {visible(message)}</p>
        ) : (
          <ForeignText text={message} whole={false} what="the answer" />
        ))}
      {url && (
        <p>
          <Seen address={url} />
        </p>
      )}
    </div>
  );
}
