import { useQuery, useQueryClient } from "@tanstack/react-query";
import { ArrowLeft } from "lucide-react";
import { useState, type ReactNode } from "react";
import { keys } from "~/api/keys";
import type { LevelUp } from "~/api/levelups";
import { useMay } from "~/api/may";
import { asProblem, type Problem } from "~/api/problem";
import { Button } from "~/ui/button";
import { number } from "~/ui/bytes";
import { Confirm } from "~/ui/dialog";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { Facts, Panel } from "~/ui/panel";
import { Person } from "~/ui/person";
import { ProblemNote } from "~/ui/problem";
import { QueryView } from "~/ui/query-view";
import { money } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { Ago } from "~/ui/time";
import { visible } from "~/ui/visible";
import { Item } from "./item";
import { levelUpQuery, levelUps } from "./queries";
import { count, isOfOthers, KINDS, outdated, STATUSES } from "./words";

/** Who made it from what, and what was decided. */
function About({ proposal }: { proposal: LevelUp }) {
  const { basis } = proposal.payload;
  const by = proposal.created_by;
  const approver = proposal.approved_by;
  const rows: [string, ReactNode][] = [
    [
      "Made",
      <span key="made" className="inline-flex max-w-full flex-wrap items-center gap-x-1.5">
        <Ago at={proposal.created_at} />
        {by && (
          <>
            {" at the request of "}
            <Person user={by} />
          </>
        )}
      </span>,
    ],
    [
      "By",
      <span key="by">
        {basis.scripted ? "a script, not a model (demonstration)" : <bdi>{visible(proposal.model)}</bdi>},{" "}
        {number(basis.tokens_in + basis.tokens_out)} tokens, {money(basis.cost_microusd)}
        {basis.repaired && ". Its first answer did not have the form, and it corrected the answer"}
      </span>,
    ],
    [
      "From",
      `${count(basis.runs.length, "ended run")}: ${basis.accepted} accepted, ${basis.rejected} rejected, ${basis.undecided} without a verdict`,
    ],
  ];
  if (proposal.status === "applied")
    rows.push([
      "Applied",
      <span key="applied" className="inline-flex max-w-full flex-wrap items-center gap-x-1.5">
        {proposal.applied_items.length} of {count(proposal.payload.items.length, "change")},{" "}
        <Ago at={proposal.applied_at} />
        {approver && (
          <>
            {" by "}
            <Person user={approver} />
          </>
        )}
      </span>,
    ]);
  return <Facts items={rows} />;
}

/** What the gateway took out of the model's answer. */
function Dropped({ proposal }: { proposal: LevelUp }) {
  const { dropped } = proposal.payload;
  if (dropped.length === 0) return null;
  return (
    <Panel title="Not offered" aside={dropped.length}>
      <ul>
        {dropped.map((one, at) => (
          <li key={at} className="border-b border-line px-4 py-2.5 last:border-0">
            <p className="break-words">
              {KINDS[one.kind]}: <bdi>{visible(one.summary)}</bdi>
            </p>
            <p className="text-small break-words text-fg-3">
              The gateway left it out: <bdi>{visible(one.reason)}</bdi>
            </p>
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Decide({ proposal }: { proposal: LevelUp }) {
  const client = useQueryClient();
  const may = useMay();
  const [approved, setApproved] = useState<ReadonlySet<string>>(new Set());
  const [refused, setRefused] = useState<ReadonlyMap<string, string>>(new Map());
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const [rejecting, setRejecting] = useState(false);
  const [others, setOthers] = useState(false);
  const { items } = proposal.payload;
  const pending = proposal.status === "pending";
  const decides = pending && may("claws.write");
  const choose = (id: string, yes: boolean) =>
    setApproved((now) => new Set(yes ? [...now, id] : [...now].filter((one) => one !== id)));
  const decided = async (answer: LevelUp, sent: readonly string[] | "reject") => {
    setOthers(isOfOthers(answer, sent));
    client.setQueryData(levelUpQuery(proposal.id).queryKey, answer);
    await client.invalidateQueries({ queryKey: keys.levelUps });
  };
  // In the order of the page.
  const sent = items.filter(({ id }) => approved.has(id)).map(({ id }) => id);
  const apply = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      await decided(await levelUps.apply(proposal.id, sent), sent);
    } catch (error) {
      const failure = asProblem(error);
      const stale = outdated(failure, sent);
      setProblem(failure);
      setRefused((now) => new Map([...now, ...stale]));
      // The others can be applied without them.
      setApproved((now) => new Set([...now].filter((id) => !stale.has(id))));
    } finally {
      setBusy(false);
    }
  };
  const some = sent.length > 0;
  return (
    <>
      {others && (
        <Notice tone="warning">
          <span role="status">
            Another person decided this proposal before you. Your choice changed nothing.
          </span>
        </Notice>
      )}
      {items.length === 0 && <p className="text-fg-2">The proposal has no changes.</p>}
      {items.map((item) => (
        <Item
          key={item.id}
          proposal={proposal}
          item={item}
          approved={approved.has(item.id)}
          refused={refused.get(item.id)}
          onApprove={decides ? (yes) => choose(item.id, yes) : undefined}
        />
      ))}
      <Dropped proposal={proposal} />
      {pending && !decides && <MissingRight what="decide proposals" least="member" />}
      {problem && <ProblemNote problem={problem} />}
      {decides && (
        <footer
          aria-label="Decision"
          className="sticky bottom-0 z-10 -mx-1 flex flex-wrap items-center gap-2 border-t border-line bg-canvas px-1 py-3"
        >
          <p role="status" className="min-w-0 flex-1 basis-40 text-fg-2">
            {some
              ? `${sent.length} of ${count(items.length, "change")} approved. The others are not applied.`
              : "Approve the changes that you want."}
          </p>
          <Button onClick={() => setRejecting(true)} disabled={busy}>
            Reject all
          </Button>
          <Button look="primary" busy={busy} disabled={!some} onClick={() => void apply()}>
            {some ? `Apply ${count(sent.length, "change")}` : "Apply"}
          </Button>
        </footer>
      )}
      <Confirm
        open={rejecting}
        onClose={() => setRejecting(false)}
        title="Reject this proposal?"
        consequence="None of its changes is applied. It stays in the list of decided proposals."
        action="Reject"
        run={async () => decided(await levelUps.reject(proposal.id), "reject")}
      />
    </>
  );
}

interface Props {
  id: string;
  onClose: () => void;
}

/** One proposal: what the model says, each change with its evidence, and the decision. */
export function Proposal({ id, onClose }: Props) {
  const proposal = useQuery(levelUpQuery(id));
  return (
    <div className="flex flex-col gap-4">
      <div>
        <Button look="quiet" icon={<ArrowLeft size={14} aria-hidden />} onClick={onClose}>
          All level-ups
        </Button>
      </div>
      <QueryView query={proposal} what="the proposal" rows={4}>
        {(one) => (
          <>
            <Panel title="Proposal" aside={<Status {...STATUSES[one.status]} />}>
              <p className="max-w-[90ch] px-4 pt-3 break-words whitespace-pre-wrap">
                <bdi>{visible(one.payload.summary)}</bdi>
              </p>
              <About proposal={one} />
            </Panel>
            <Decide proposal={one} />
          </>
        )}
      </QueryView>
    </div>
  );
}
