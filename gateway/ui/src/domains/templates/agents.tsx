import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { keys } from "~/api/keys";
import type { TeamTemplate } from "~/api/teams";
import { Button } from "~/ui/button";
import { Confirm } from "~/ui/dialog";
import { Notice } from "~/ui/notice";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { agentsQuery, upgrade, type TemplateAgent, type UpgradeReport } from "./queries";

const UPGRADES: Record<string, string> = {
  replace: "an upgrade gives it the new prompt",
  same: "an upgrade does not change its prompt: both are the same",
  keep_prompt: "an upgrade keeps its prompt, because a person changed it",
  no_role: "its role is not in the newest version",
};

function Line({ one }: { one: TemplateAgent }) {
  return (
    <li className="flex flex-wrap items-center justify-between gap-x-4 gap-y-1 border-b border-line px-4 py-2 last:border-0">
      <span className="min-w-0">
        <Link
          to="/claws/$id"
          params={{ id: one.agent_id }}
          className="rounded-control font-[550] break-words hover:text-accent hover:underline"
        >
          <bdi>{visible(one.name)}</bdi>
        </Link>{" "}
        <span className="text-small text-fg-3">
          <bdi>{visible(one.role_slot)}</bdi>
          {one.behind && UPGRADES[one.upgrade] ? `; ${UPGRADES[one.upgrade]}` : ""}
        </span>
      </span>
      <Status
        tone={one.behind ? "warning" : "done"}
        word={one.behind ? `version ${one.template_version}, behind` : `version ${one.template_version}`}
      />
    </li>
  );
}

/** What an upgrade did, in words. */
function Report({ report }: { report: UpgradeReport }) {
  const [done, kept] = [report.upgraded.length, report.kept.length];
  return (
    <Notice className="m-4">
      <span role="status">
        {done} {done === 1 ? "agent has" : "agents have"} version {report.version} now.
        {kept > 0 && ` Of ${kept} something stayed as it was:`}
      </span>
      {kept > 0 && (
        <ul className="list-disc pl-5">
          {report.kept.map((one) => (
            <li key={one.agent_id} className="break-words">
              <bdi>{visible(one.name)}</bdi>: {visible(one.why)}
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

/** Who was made from it, and who is behind. */
export function Agents({ template, manages }: { template: TeamTemplate; manages: boolean }) {
  const agents = useQuery(agentsQuery(template.id));
  const client = useQueryClient();
  const [asking, setAsking] = useState(false);
  const [report, setReport] = useState<UpgradeReport>();
  const behind = (agents.data ?? []).filter((one) => one.behind).length;
  return (
    <Panel
      title="Agents from it"
      aside={
        manages &&
        behind > 0 && (
          <Button onClick={() => setAsking(true)}>
            Upgrade {behind} that {behind === 1 ? "is" : "are"} behind
          </Button>
        )
      }
    >
      {agents.isPending && <Loading what="agents" rows={2} />}
      {agents.isError && !agents.data && <Failed error={agents.error} retry={() => void agents.refetch()} />}
      {agents.data?.length === 0 && <p className="px-4 py-3 text-fg-3">None yet.</p>}
      {report && <Report report={report} />}
      <ul>
        {(agents.data ?? []).map((one) => (
          <Line key={one.agent_id} one={one} />
        ))}
      </ul>
      <Confirm
        open={asking}
        onClose={() => setAsking(false)}
        look="primary"
        title={`Upgrade to version ${template.version}?`}
        action="Upgrade"
        consequence="Agents that are behind get the prompt of their role in the newest version. A prompt that somebody changed stays, and no memory is touched."
        run={async () => {
          setReport(await upgrade(template.id));
          await client.invalidateQueries({ queryKey: keys.templates });
        }}
      />
    </Panel>
  );
}
