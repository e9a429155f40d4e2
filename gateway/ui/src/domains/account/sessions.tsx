import { queryOptions, useQuery, useQueryClient } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Session } from "~/api/types";
import { useState } from "react";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { Status } from "~/ui/status";
import { Ago, span, useRemaining } from "~/ui/time";
import { visible } from "~/ui/visible";
import { clientOf } from "./device";
import { scopesWord, wordOf } from "./scopes";
import { TokenDialog } from "./tokens";

const sessionsQuery = queryOptions({
  queryKey: keys.sessions,
  queryFn: async ({ signal }) => (await api.get("/api/auth/sessions", { signal })).items,
  staleTime: 0,
});

function End({ one, onClose }: { one: Session; onClose: () => void }) {
  const client = useQueryClient();
  const token = one.kind === "api";
  return (
    <Confirm
      open
      onClose={onClose}
      title={
        token
          ? `Revoke the token ${(one.label ?? "without a name").slice(0, 80)}?`
          : `End the session of ${clientOf(one).text}?`
      }
      consequence={
        token
          ? "Programs that use it are refused at once. You can't undo this; create a new token instead."
          : "It is signed out at once."
      }
      action={token ? "Revoke" : "End"}
      run={async () => {
        await api.delete("/api/auth/sessions/{id}", { path: { id: one.id } });
        await client.invalidateQueries({ queryKey: keys.sessions });
      }}
    />
  );
}

/** When it ends by itself. */
function Ends({ at }: { at: string }) {
  const left = useRemaining(at);
  return left > 0 ? `ends in ${span(left)}` : "has ended";
}

/** What a token may do. Several permissions unfold. */
function May({ scopes }: { scopes: Session["scopes"] | undefined }) {
  const word = `Permissions: ${scopesWord(scopes)}`;
  if (!scopes || scopes.length < 2) return <span className="block text-small text-fg-3">{word}</span>;
  return (
    <details className="text-small text-fg-3">
      <summary className="w-fit cursor-pointer rounded-control hover:text-fg">{word}</summary>
      <ul className="mt-1 columns-2 gap-6 pl-4 max-sm:columns-1">
        {scopes.map((verb) => (
          <li key={verb}>{wordOf(verb)}</li>
        ))}
      </ul>
    </details>
  );
}

interface RowProps {
  one: Session;
  /** The workspace of a token, where it is another one than the present. */
  elsewhere: string | undefined;
  onEnd: () => void;
}

function Row({ one, elsewhere, onEnd }: RowProps) {
  const { text, raw } = clientOf(one);
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 border-b border-line px-4 py-2 last:border-0">
      <span className="min-w-0 break-words">
        <bdi title={raw}>{text}</bdi>
        {elsewhere && (
          <span className="text-fg-2">
            {" "}
            in <bdi>{visible(elsewhere)}</bdi>
          </span>
        )}
        <span className="block text-small text-fg-3">
          {one.kind === "api" ? "Created" : "Signed in"}{" "}
          <Ago at={one.created_at} never="at an unknown time" />
          {one.from_address && ` from ${one.from_address}`}, used <Ago at={one.last_seen_at} />,{" "}
          <Ends at={one.expires_at} />
        </span>
        {one.kind === "api" && <May scopes={one.scopes} />}
      </span>
      {one.current ? (
        <Status tone="running" word="This session" />
      ) : (
        <Button onClick={onEnd}>{one.kind === "api" ? "Revoke" : "End"}</Button>
      )}
    </li>
  );
}

/** Ends every session but this one. Tokens stay valid. */
function EndOthers({ others, onClose }: { others: readonly Session[]; onClose: () => void }) {
  const client = useQueryClient();
  return (
    <Confirm
      open
      onClose={onClose}
      title="End all other sessions?"
      consequence={`${others.length === 1 ? "1 session is" : `${others.length} sessions are`} signed out at once. API tokens stay valid.`}
      action="End sessions"
      run={async () => {
        try {
          for (const { id } of others) await api.delete("/api/auth/sessions/{id}", { path: { id } });
        } finally {
          // Some may have ended before one was refused.
          await client.invalidateQueries({ queryKey: keys.sessions });
        }
      }}
    />
  );
}

interface Props {
  /** The workspace in which a new token works. */
  workspace: string;
  /** The names of the person's workspaces. */
  workspaces: readonly { id: string; name: string }[];
  /** What the person may do there, as verbs. */
  permissions: readonly string[];
}

/** Where this account is signed in, and the tokens of its programs, with a way to end each. */
export function Sessions({ workspace, workspaces, permissions }: Props) {
  const [making, setMaking] = useState(false);
  const [ending, setEnding] = useState<Session>();
  const [all, setAll] = useState(false);
  const query = useQuery(sessionsQuery);
  const here = query.data?.find(({ current }) => current)?.workspace_id;
  const elsewhere = ({ kind, workspace_id }: Session) =>
    kind === "api" && workspace_id !== here
      ? workspaces.find(({ id }) => id === workspace_id)?.name
      : undefined;
  const list = (sessions: readonly Session[]) => (
    <ul>
      {sessions.map((one) => (
        <Row key={one.id} one={one} elsewhere={elsewhere(one)} onEnd={() => setEnding(one)} />
      ))}
    </ul>
  );
  const logins = (query.data ?? []).filter(({ kind }) => kind !== "api");
  const tokens = (query.data ?? []).filter(({ kind }) => kind === "api");
  const others = logins.filter(({ current }) => !current);
  return (
    <>
      <Panel
        title="Sessions"
        aside={others.length > 0 && <Button onClick={() => setAll(true)}>End all others</Button>}
      >
        {query.isPending && <Loading what="sessions" rows={2} />}
        <Stale query={query} className="m-4" />
        {query.isError && !query.data && <Failed error={query.error} retry={() => void query.refetch()} />}
        {list(logins)}
      </Panel>
      {/* Below what has its size already, so that it never moves. */}
      {!query.isPending && (
        <Panel title="API tokens" aside={<Button onClick={() => setMaking(true)}>New token</Button>}>
          {making && (
            <TokenDialog workspace={workspace} permissions={permissions} onClose={() => setMaking(false)} />
          )}
          {query.data && tokens.length === 0 && (
            <p className="px-4 py-3 text-fg-2">
              No token yet. With a token, a program acts as you in one workspace until the token ends.
            </p>
          )}
          {list(tokens)}
        </Panel>
      )}
      {ending && <End one={ending} onClose={() => setEnding(undefined)} />}
      {all && <EndOthers others={others} onClose={() => setAll(false)} />}
    </>
  );
}
