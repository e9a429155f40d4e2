import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect } from "react";
import type { LevelUp, LevelUpEvidence, LevelUpItem } from "~/api/levelups";
import { cx, textLink } from "~/ui/class";
import { Tick } from "~/ui/field";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { Change } from "./change";
import { brainQuery, clawQuery } from "./queries";
import { fate, KINDS, partOf } from "./words";

const OUTCOMES: Record<string, string> = {
  accepted: "accepted",
  rejected: "rejected",
  undecided: "no verdict",
};

/** Where a passage is from, as a link. */
function Source({ of, proposal }: { of: LevelUpEvidence; proposal: LevelUp }) {
  if (of.kind === "run" && of.run_id)
    return (
      <>
        <Link
          to="/runs/$id"
          params={{ id: of.run_id }}
          {...(of.step && { hash: partOf(of.step) })}
          className={textLink}
        >
          <bdi>{visible(of.run_title ?? "") || "A run"}</bdi>
          {of.step && (
            <>
              , step <bdi>{visible(of.step)}</bdi>
            </>
          )}
        </Link>
        {of.outcome && ` (${OUTCOMES[of.outcome] ?? of.outcome})`}
      </>
    );
  if (of.kind === "brain" && of.agent_id)
    return (
      <Link to="/claws/$id" params={{ id: of.agent_id }} search={{ app: "brain" }} className={textLink}>
        Its brain
      </Link>
    );
  if (of.kind === "system_prompt" && of.agent_id)
    return (
      <Link to="/claws/$id" params={{ id: of.agent_id }} className={textLink}>
        Its instructions
      </Link>
    );
  if (proposal.team_id)
    return (
      <Link to="/teams/$id" params={{ id: proposal.team_id }} className={textLink}>
        The roles and tools of the team
      </Link>
    );
  return <>The roles and tools</>;
}

function Evidence({ item, proposal }: { item: LevelUpItem; proposal: LevelUp }) {
  return (
    <section aria-label={`Evidence for ${item.id}`} className="px-4 py-3">
      <h4 className="text-small font-[550] text-fg-2">Quoted evidence</h4>
      <ul className="mt-1 flex flex-col gap-2">
        {item.evidence.map((one, at) => (
          <li key={at} className="border-l-2 border-line-strong/60 pl-3">
            <blockquote className="break-words whitespace-pre-wrap">
              <bdi>{visible(one.excerpt)}</bdi>
            </blockquote>
            <p className="text-small text-fg-3">
              <Source of={one} proposal={proposal} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Why an item cannot be applied as things stand now. It follows what other people do. */
function useMoved(item: LevelUpItem, pending: boolean): string | undefined {
  const agent = item.agent_id ?? "";
  const identity = pending && item.kind === "identity_refinement" && agent !== "";
  const consolidation = pending && item.kind === "brain_consolidation" && agent !== "";
  const claw = useQuery({ ...clawQuery(agent), enabled: identity });
  const brain = useQuery({ ...brainQuery(agent), enabled: consolidation });
  if (identity && claw.data && (claw.data.system_prompt ?? "") !== (item.before ?? ""))
    return "the instructions were changed since the proposal was made";
  if (consolidation && brain.data && brain.data.version !== (item.base_version ?? 0))
    return `the brain has version ${brain.data.version} now, and the proposal replaces version ${item.base_version ?? 0}`;
  return undefined;
}

interface Props {
  proposal: LevelUp;
  item: LevelUpItem;
  approved: boolean;
  /** Why the gateway refused it. */
  refused: string | undefined;
  /** Absent where nothing can be decided. */
  onApprove: ((approved: boolean) => void) | undefined;
}

/** One proposed change: what it changes, why, its evidence, and the choice of the person. */
export function Item({ proposal, item, approved, refused, onApprove }: Props) {
  const moved = useMoved(item, proposal.status === "pending");
  const end = fate(proposal, item);
  const summary = visible(item.summary);
  const stale = refused ?? moved;
  const drops = stale !== undefined && approved;
  // It is not sent with the others.
  useEffect(() => {
    if (drops) onApprove?.(false);
  }, [drops, onApprove]);
  return (
    <article
      aria-label={`${item.id}: ${KINDS[item.kind]}`}
      className={cx("min-w-0 rounded-panel border bg-surface", approved ? "border-accent" : "border-line")}
    >
      <header className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5">
        <div className="min-w-0 flex-1 basis-64">
          <p className="text-small text-fg-3">
            {KINDS[item.kind]}
            {item.agent_id && (
              <>
                {" "}
                for{" "}
                <Link to="/claws/$id" params={{ id: item.agent_id }} className={textLink}>
                  <bdi>{visible(item.agent_name ?? "") || "an agent"}</bdi>
                </Link>
              </>
            )}
          </p>
          <h3 className="text-head-3 break-words">
            <bdi>{summary}</bdi>
          </h3>
          <p className="mt-0.5 max-w-[90ch] break-words whitespace-pre-wrap text-fg-2">
            {visible(item.rationale)}
          </p>
        </div>
        {end && <Status {...end} />}
        {onApprove && (
          <Tick
            label="Approve"
            aria-label={`Approve ${summary}`}
            checked={approved}
            disabled={stale !== undefined}
            onChange={(event) => onApprove(event.target.checked)}
          />
        )}
      </header>
      {stale !== undefined && (
        <p role="status" className="border-t border-line bg-failed/8 px-4 py-2">
          <Status tone="failed" word="Cannot be applied any more" /> <bdi>{visible(stale)}.</bdi>
        </p>
      )}
      {item.needs_human && proposal.status !== "rejected" && (
        <p className="border-t border-line bg-waiting/8 px-4 py-2 text-fg-2">
          {proposal.status === "pending"
            ? "The gateway does not make this change. Your approval is recorded, and a person makes the change."
            : "The gateway did not make this change."}
        </p>
      )}
      <div className="border-t border-line">
        <Change proposal={proposal} item={item} />
      </div>
      <div className="border-t border-line">
        <Evidence item={item} proposal={proposal} />
      </div>
    </article>
  );
}
