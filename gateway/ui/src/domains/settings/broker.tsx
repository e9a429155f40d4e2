import { useQuery } from "@tanstack/react-query";
import { meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import type { BrokerNow } from "~/api/types";
import { QueryView } from "~/ui/query-view";
import { DASH, number } from "~/ui/bytes";
import { RefreshCw } from "lucide-react";
import { Button } from "~/ui/button";
import { CopyText } from "~/ui/copy";
import { Empty } from "~/ui/empty";
import { Notice } from "~/ui/notice";
import { Facts, Panel } from "~/ui/panel";
import { Status } from "~/ui/status";
import { Ago, span, useNow } from "~/ui/time";
import { SettingsFrame, type Part } from "./frame";
import { brokerQuery } from "./queries";
import { Shares } from "./shares";
import { kept, ROOTS, sealed, sent } from "./words";

const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-small break-all text-fg">{children}</code>
);

/** Why nothing comes, what that means, and what to do. */
function Silent({ why }: { why: string | null | undefined }) {
  return (
    <div className="flex flex-col gap-2 px-4 py-3">
      {why && <p className="break-words">{why}</p>}
      <p className="text-fg-2">
        Until it answers, nothing that needs a credential works: an approved request fails and is not sent,
        repositories are not synced, and no app can be connected. Stored credentials stay in the broker.
      </p>
      <ul className="flex list-disc flex-col gap-1 pl-4 text-fg-2 marker:text-fg-3">
        <li>
          <Code>roost doctor</Code> on the gateway's machine shows the fault and the remedy.
        </li>
        <li>
          If the broker runs as a service of its own: <Code>systemctl status roost-broker</Code>, and{" "}
          <Code>broker.socket</Code> must name its socket. Otherwise the gateway starts it, and restarts it
          when it ends.
        </li>
        <li>The broker refuses to start if the root key does not match its store. Check its log.</li>
      </ul>
    </div>
  );
}

function Running({ now }: { now: BrokerNow }) {
  const clock = useNow();
  const keyId = now.root_key && (
    <CopyText key="id" text={now.root_key} what="the ID of the root key" className="min-h-8" />
  );
  return (
    <Facts
      items={[
        ["Running for", now.started_at ? span(clock - Date.parse(now.started_at)) : DASH],
        ["Build", now.build ?? DASH],
        ["Root key", now.root ? ROOTS[now.root] : DASH],
        ["Key ID", keyId || DASH],
      ]}
    />
  );
}

function Figures({ now }: { now: BrokerNow }) {
  return (
    <>
      <Panel title="Stored credentials">
        <Shares label="Records" shares={kept(now)} />
        <Shares label="Sealed" shares={sealed(now)} />
        <Facts items={[["Audit log entries", number(now.audit_entries)]]} />
        {(now.to_rekey ?? 0) > 0 && (
          <p className="px-4 py-3 text-fg-2">
            <Code>roost broker rekey</Code> seals the rest under the present root key while the broker runs.
          </p>
        )}
      </Panel>
      <Panel title="Activity since it started">
        <Shares label="Requests sent with a credential" shares={sent(now)} />
        <Facts items={[["Tokens renewed", number(now.refreshes)]]} />
      </Panel>
    </>
  );
}

function Now({ now, at, again, busy }: { now: BrokerNow; at: number; again: () => void; busy: boolean }) {
  return (
    <>
      {now.warnings.map((warning) => (
        <Notice key={warning} tone="warning">
          <span className="break-words">{warning.charAt(0).toUpperCase() + warning.slice(1)}</span>
        </Notice>
      ))}
      <Panel
        title="Now"
        aside={
          <>
            {/* As wide for each age, and from the left, so that nothing moves. */}
            <span className="min-w-32">
              read <Ago at={new Date(at).toISOString()} />
            </span>
            <Button icon={<RefreshCw size={14} aria-hidden />} busy={busy} onClick={again}>
              Refresh
            </Button>
          </>
        }
      >
        <p role="status" className="px-4 pt-3">
          {now.reachable ? (
            <Status tone="running" word="Running" />
          ) : (
            <Status tone="failed" word="Not responding" />
          )}
        </p>
        {now.reachable ? <Running now={now} /> : <Silent why={now.detail} />}
      </Panel>
      {now.reachable && <Figures now={now} />}
    </>
  );
}

/** For operators only: the broker serves the whole deployment. */
export function BrokerSettings({ parts }: { parts: Part[] }) {
  const me = useQuery(meQuery);
  const operator = me.data?.operator === true;
  const broker = useQuery({ ...brokerQuery, enabled: operator });
  const refused = broker.isError && asProblem(broker.error).status === 403;
  return (
    <SettingsFrame
      parts={parts}
      title="Secret broker"
      lead="A separate process that keeps and uses every credential of this deployment. It never gives one back."
    >
      {(!operator || refused) && (
        <Empty title="The secret broker is for operators">
          Your account lacks the operator grant. The person who runs this Roost can give it:{" "}
          <Code>operators</Code> in the configuration, or <Code>roost operator grant</Code>.
        </Empty>
      )}
      {operator && !refused && (
        <QueryView query={broker} what="the secret broker" rows={5}>
          {(now) => (
            <Now
              now={now}
              at={broker.dataUpdatedAt}
              busy={broker.isFetching}
              again={() => void broker.refetch()}
            />
          )}
        </QueryView>
      )}
    </SettingsFrame>
  );
}
