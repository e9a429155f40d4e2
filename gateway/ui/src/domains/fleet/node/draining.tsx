import { useQuery } from "@tanstack/react-query";
import type { DrainProgress, Node } from "~/api/types";
import { OwnerLink } from "~/ui/owner-link";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { drainQuery } from "../queries";

type Whose = Pick<DrainProgress["sandboxes"][number], "owner_kind" | "owner_id" | "owner_name">;

function Named({ owner_kind: kind, owner_id: id, owner_name: name }: Whose) {
  return (
    <OwnerLink
      owner={{ kind, id }}
      part="sandbox"
      className="rounded-control font-[550] hover:text-accent hover:underline"
    >
      {visible(name)}
    </OwnerLink>
  );
}

function Left({ progress }: { progress: DrainProgress }) {
  const files = progress.moves ? progress.unsaved : [];
  if (progress.sandboxes.length + files.length === 0) return null;
  return (
    <ul aria-label="What is left" className="divide-y divide-line border-t border-line">
      {progress.sandboxes.map((one) => (
        <li key={one.id} className="flex flex-wrap gap-x-3 px-4 py-2">
          <Named {...one} />
          <span className="min-w-0 text-fg-2">{one.detail}</span>
        </li>
      ))}
      {files.map((one) => (
        <li key={one.owner_id} className="flex flex-wrap gap-x-3 px-4 py-2">
          <Named {...one} />
          <span className="min-w-0 text-fg-2">
            The files of <Ago at={one.taken_at} /> are only on this machine.
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
                It became empty <Ago at={data.emptied_at} />. Nothing that is needed is on this machine.
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
