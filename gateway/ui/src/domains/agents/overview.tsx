import { Link } from "@tanstack/react-router";
import type { Claw, Sandbox } from "~/api/types";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { SOURCES } from "./activity/queries";
import { ActivityRow } from "./activity/row";
import { useHistory } from "./activity/use-history";
import { Details } from "./details";

const LATEST = 6;

/** The agent at a glance: what it is, and what happened last. */
export function Overview({ claw, sandbox }: { claw: Claw; sandbox: Sandbox | undefined }) {
  const { history: latest, lines, filling } = useHistory(claw.id, SOURCES, LATEST);
  const rows = lines.slice(0, LATEST);
  return (
    <div className="flex flex-col gap-4">
      <Panel
        title="Recent activity"
        aside={
          <Link
            to="/claws/$id"
            params={{ id: claw.id }}
            search={{ app: "activity" }}
            className="rounded-control text-fg-2 hover:text-accent hover:underline"
          >
            All activity
          </Link>
        }
      >
        {(latest.isPending || (filling && rows.length === 0)) && (
          <Loading what="what happened last" rows={3} />
        )}
        {latest.isError && !latest.data && (
          <Failed error={latest.error} retry={() => void latest.refetch()} />
        )}
        {latest.data && !filling && rows.length === 0 && (
          <p className="px-4 py-5 text-fg-3">Nothing has happened yet.</p>
        )}
        <ol>
          {rows.map((one) => (
            <ActivityRow key={one.id} one={one} gone={false} />
          ))}
        </ol>
      </Panel>
      <Details claw={claw} sandbox={sandbox} />
    </div>
  );
}
