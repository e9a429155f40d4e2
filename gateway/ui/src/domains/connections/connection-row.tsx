import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import type { AppConnection } from "~/api/types";
import { Button } from "~/ui/button";
import { cx, textLink } from "~/ui/class";
import { openRow } from "~/ui/open-row";
import { Status } from "~/ui/status";
import { Ago, span, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { BeginProblem } from "./begin-problem";
import { RenewDialog } from "./connect-dialog";
import { DisconnectDialog } from "./disconnect-dialog";
import { useBegin } from "./use-begin";
import { appName, bySignIn, how, standingOf, standings } from "./words";

/** How long its token is good, and what happens then. */
function Until({ one }: { one: AppConnection }) {
  const now = useNow();
  if (one.state !== "ready") return null;
  if (one.renewable) return <>Renewed automatically</>;
  if (one.auth_type === "token") return <>Expiry unknown</>;
  if (!one.expires_at) return <>No expiry given by the app</>;
  const left = Date.parse(one.expires_at) - now;
  return left > 0 ? <>Expires in {span(left)}; then a person connects it again</> : null;
}

/** Where its token may be sent: without any, it is of no use. */
function Reaches({ one }: { one: AppConnection }) {
  if (one.reaches.length > 0)
    return (
      <>
        Reaches{" "}
        {one.reaches.map((origin, at) => (
          <span key={origin}>
            {at > 0 && ", "}
            <bdi className="font-mono text-small break-all">{visible(origin)}</bdi>
          </span>
        ))}
      </>
    );
  if (one.state !== "ready") return null;
  return (
    <span className="text-waiting">
      Reaches nothing: this gateway knows no API of this app. It keeps the token and never sends it.
    </span>
  );
}

interface Props {
  one: AppConnection;
  /** Named where the connections of several agents stand together. */
  agent?: { id: string; name: string } | undefined;
  mayConnect: boolean;
  /** Selects it, where several can be disconnected at once. */
  tick?: ReactNode;
  gone?: boolean;
  /** In a long list every row is this high: what needs more room is cut, and is whole on the agent's page. */
  height?: number | undefined;
}

/** One connection: whose, to what, whether it can be used, and what can be done about it. */
export function ConnectionRow({ one, agent, mayConnect, tick, gone = false, height }: Props) {
  const standing = standings[standingOf(one, useNow())];
  const begun = useBegin();
  const [asking, setAsking] = useState<"end" | "renew">();
  const close = () => setAsking(undefined);
  const by = one.connected_by?.name || one.connected_by?.email;
  const app = appName(one.provider);
  const of = agent ? ` of ${agent.name}` : "";
  const again = () =>
    begun.start({
      clawId: one.agent_id ?? "",
      provider: one.provider,
      authType: one.auth_type,
      ...(one.auth_type === "mcp_oauth" && { issuerUrl: one.issuer_url }),
    });
  return (
    <li
      data-row
      {...(agent && openRow)}
      style={height === undefined ? undefined : { minHeight: height }}
      className={cx(
        "flex flex-wrap items-start gap-x-6 gap-y-2 border-b border-line px-4 py-3 last:border-0",
        agent && "cursor-pointer hover:bg-line/25",
        gone && "line-through opacity-60",
      )}
    >
      {tick}
      <div className={cx("min-w-0 flex-1 basis-72", height !== undefined && "*:line-clamp-2")}>
        <h3 className="flex flex-wrap items-center gap-x-3 gap-y-0.5">
          <bdi className="min-w-0 font-[550] break-words">{app}</bdi>
          <Status tone={standing.tone} word={standing.word} />
        </h3>
        {agent && (
          <p>
            <Link to="/claws/$id" params={{ id: agent.id }} search={{ app: "apps" }} className={textLink}>
              <bdi className="break-words">{agent.name}</bdi>
            </Link>
          </p>
        )}
        {standing.says && <p className="max-w-[72ch]">{standing.says}</p>}
        <p className="text-small text-fg-2">
          <bdi className="break-all">{visible(how(one))}</bdi>
        </p>
        <p className="text-small text-fg-2">
          <Reaches one={one} />
        </p>
        <p className="text-small text-fg-3">
          Connected <Ago at={one.connected_at} />
          {by && (
            <>
              {" "}
              by <bdi>{by}</bdi>
            </>
          )}
          . <Until one={one} />
        </p>
        {begun.error !== undefined && (
          <BeginProblem error={begun.error} mcp={one.auth_type === "mcp_oauth"} className="mt-2" />
        )}
      </div>
      {mayConnect && !gone && (
        <div className="flex flex-wrap gap-2">
          {bySignIn(one) && one.agent_id && (
            <Button
              look={standing.rank < 3 ? "primary" : "plain"}
              busy={begun.busy}
              aria-label={`Reconnect ${app}${of}`}
              onClick={again}
            >
              Reconnect
            </Button>
          )}
          {one.auth_type === "token" && one.agent_id && (
            <Button
              look={standing.rank < 3 ? "primary" : "plain"}
              aria-label={`New secret for ${app}${of}`}
              onClick={() => setAsking("renew")}
            >
              New secret
            </Button>
          )}
          <Button aria-label={`Disconnect ${app}${of}`} onClick={() => setAsking("end")}>
            Disconnect
          </Button>
        </div>
      )}
      {asking === "end" && <DisconnectDialog one={one} agent={agent?.name} onClose={close} />}
      {asking === "renew" && <RenewDialog one={one} agent={agent?.name} onClose={close} />}
    </li>
  );
}
