import { useQuery } from "@tanstack/react-query";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import type { Explanation } from "~/api/types";
import { Button } from "~/ui/button";
import { Modal } from "~/ui/dialog";
import { Failed } from "~/ui/problem";
import { sentence } from "~/ui/sentence";
import { Loading } from "~/ui/skeleton";
import { Ago } from "~/ui/time";

const CAUSES: Record<Explanation["past"][number]["cause"], string> = {
  failed: "failed",
  ended: "ended by itself",
  operator: "restarted by an operator",
};

function Sentences({ title, lines }: { title: string; lines: string[] }) {
  return (
    <section className="mt-4">
      <h3 className="text-head-3">{title}</h3>
      {lines.map((line) => (
        <p key={line} className="mt-1 break-words text-fg-2">
          {line}
        </p>
      ))}
    </section>
  );
}

function Said({ said }: { said: Explanation }) {
  return (
    <>
      <p className="text-fg-2">{said.does}</p>
      <Sentences title="Why it was restarted" lines={said.why} />
      {said.past.length > 1 && (
        <ol className="mt-2 border-l border-line pl-3 text-small text-fg-2">
          {said.past.toReversed().map((end) => (
            <li key={`${end.at}${end.cause}`} className="break-words">
              <Ago at={end.at} />: {CAUSES[end.cause]}
              {end.text && `, ${end.text}`}
            </li>
          ))}
        </ol>
      )}
      <Sentences title="What it holds" lines={said.holds} />
      <Sentences title="What was lost" lines={said.lost} />
    </>
  );
}

interface Props {
  id: string | undefined;
  onClose: () => void;
  onRestart: ((said: Explanation) => void) | undefined;
}

/** Why an actor is as it is, and the door to its restart. */
export function ExplainDialog({ id, onClose, onRestart }: Props) {
  const said = useQuery({
    queryKey: keys.actor(id ?? ""),
    queryFn: ({ signal }) => api.get("/api/ops/actors/{id}/explain", { path: { id: id ?? "" }, signal }),
    enabled: id !== undefined,
    gcTime: 0,
  });
  const refusal = said.data?.not_restartable;
  return (
    <Modal
      open={id !== undefined}
      onClose={onClose}
      wide
      title={
        said.data ? `${said.data.actor.name} is ${sentence(said.data.actor.state).toLowerCase()}` : "An actor"
      }
      lead={<span className="font-mono text-small break-all">{id}</span>}
    >
      {said.isPending && id !== undefined && <Loading what="what is known about it" rows={6} />}
      {said.isError && <Failed error={said.error} retry={() => void said.refetch()} className="" />}
      {said.data && <Said said={said.data} />}
      {said.data && onRestart && (
        <div className="mt-5 flex flex-wrap items-center justify-end gap-3">
          {refusal && <p className="text-small text-fg-3">It cannot be restarted: {refusal}.</p>}
          <Button disabled={Boolean(refusal)} onClick={() => onRestart(said.data)}>
            Restart
          </Button>
        </div>
      )}
    </Modal>
  );
}
