// The world of the workspace: missions in flight, teams, agents, and the machines on which they work.
import { Link } from "@tanstack/react-router";
import { Network } from "lucide-react";
import { useMemo, useState } from "react";
import { buttonClass } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { useNarrow } from "~/ui/list/narrow";
import { PageFrame } from "~/ui/page";
import { Panel } from "~/ui/panel";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { useNow } from "~/ui/time";
import { MOST_ALL, workspaceWorld } from "./world";
import { useWorldStream } from "./world-live";
import { heightOf } from "./world-place";
import { Drawing, LOOKS, Words } from "./world-view";

/** A list has room for more than a map. */
const MOST_LISTED = 200;

export function WorldPage() {
  const { marks, heard } = useWorldStream();
  const narrow = useNarrow();
  const [chosen, setLook] = useState<"map" | "list">("map");
  // Four columns have no room on a phone.
  const look = narrow ? "list" : chosen;
  const now = useNow();
  const most = look === "map" ? MOST_ALL : MOST_LISTED;
  const world = useMemo(() => marks && workspaceWorld(marks, heard, now, most), [marks, heard, now, most]);
  const height = world ? heightOf(world) : 0;
  return (
    <PageFrame wide crumbs={[{ label: "World" }]}>
      <h1 className="text-head-1">World</h1>
      {!world && <Loading what="the world" rows={8} />}
      {world && world.things.length === 0 && (
        <Empty
          title="Nothing here yet"
          icon={<Network size={28} aria-hidden />}
          action={
            <Link to="/teams/new" className={buttonClass("primary")}>
              New team
            </Link>
          }
        >
          Teams, agents, machines and missions in flight stand here, and what works is lit.
        </Empty>
      )}
      {world && world.things.length > 0 && (
        <Panel
          title="Landmarks"
          aside={!narrow && <Segments label="Look" value={look} options={LOOKS} onChange={setLook} />}
        >
          <div className="px-4 py-3">
            {look === "map" ? (
              <Drawing world={world} of="the workspace" height={height} />
            ) : (
              <Words world={world} />
            )}
            <p className="min-h-4 pt-2 text-small text-fg-3">
              What works now is lit.
              {world.left > 0 &&
                ` ${world.left} more have no room here. Agents, teams and machines have lists of their own.`}
            </p>
          </div>
        </Panel>
      )}
    </PageFrame>
  );
}
