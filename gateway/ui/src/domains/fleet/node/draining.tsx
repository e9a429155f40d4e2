import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { DrainProgress, Node } from "~/api/types";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { drainQuery } from "../queries";

function AgentLink({ id, name }: { id: string; name: string }) {
  return (
    <Link
      to="/claws/$id"
      params={{ id }}
      className="rounded-control font-[550] hover:text-accent hover:underline"
    >
      {name}
    </Link>
  );
}

function Left({ progress }: { progress: DrainProgress }) {
  const files = progress.moves ? progress.unsaved : [];
  if (progress.sandboxes.length + files.length === 0) return null;
  return (
    <ul aria-label="What is left" className="divide-y divide-line border-t border-line">
      {progress.sandboxes.map((one) => (
        <li key={one.id} className="flex flex-wrap gap-x-3 px-4 py-2">
          <AgentLink id={one.agent_id} name={one.agent_name} />
          <span className="min-w-0 text-fg-2">{one.detail}</span>
        </li>
      ))}
      {files.map((one) => (
        <li key={one.agent_id} className="flex flex-wrap gap-x-3 px-4 py-2">
          <AgentLink id={one.agent_id} name={one.agent_name} />
          <span className="min-w-0 text-fg-2">
            The files of <Ago at={one.taken_at} /> are on the way to the gateway.
          </span>
        </li>
      ))}
    </ul>
  );
}

/** How far a machine is with draining: what is left, and what each sandbox waits for. */
export function Draining({ node }: { node: Node }) {
  const progress = useQuery(drainQuery(node.id));
  const { data } = progress;
  return (
    <Panel title="Draining" aside={data && `${data.sandboxes.length}`}>
      {progress.isPending && <Loading what="the drain" rows={1} />}
      {progress.isError && <Failed error={progress.error} retry={() => void progress.refetch()} />}
      {data && (
        <>
          <p role="status" className="px-4 py-3">
            {data.emptied_at ? (
              <>
                Empty since{" "}
                <time dateTime={data.emptied_at}>{new Date(data.emptied_at).toLocaleString()}</time>. Nothing
                that is needed is on this machine.
              </>
            ) : (
              <>
                {data.moves
                  ? `Draining: ${data.summary}`
                  : "It takes no new sandboxes. Its present ones stay."}
              </>
            )}
          </p>
          <Left progress={data} />
        </>
      )}
    </Panel>
  );
}
