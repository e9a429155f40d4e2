import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { LoaderCircle, Sparkles } from "lucide-react";
import { useEffect, useRef } from "react";
import { pendingLevelUpsQuery, type LevelUpBrief } from "~/api/levelups";
import { useMay } from "~/api/may";
import { Button } from "~/ui/button";
import { Help } from "~/ui/help";
import { MissingRight } from "~/ui/missing-right";
import { Person } from "~/ui/person";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { QueryView } from "~/ui/query-view";
import { Status } from "~/ui/status";
import { Ago, span, useNow } from "~/ui/time";
import { visible } from "~/ui/visible";
import { propose, useAsking } from "./asking";
import { Proposal } from "./proposal";
import { decidedQuery } from "./queries";
import type { Subject } from "./subject";
import { contents, pendingOf, STATUSES } from "./words";

/** How long the gateway gives the model. */
const MOST_MIN = 5;

function Waiting({ subject, since }: { subject: Subject; since: number }) {
  const now = useNow();
  return (
    <div role="status" className="flex flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
      <LoaderCircle size={16} aria-hidden className="shrink-0 animate-spin text-accent" />
      <p className="min-w-0 flex-1 basis-60">
        <span className="font-[550]">
          A model reads what <bdi>{visible(subject.name)}</bdi> did and writes a proposal.
        </span>{" "}
        <span className="text-fg-2">
          This takes up to {MOST_MIN} minutes. You may go to other pages of Roost meanwhile; do not close this
          tab of your browser.
        </span>
      </p>
      <span aria-hidden className="text-fg-2 tabular-nums">
        {span(now - since)}
      </span>
    </div>
  );
}

/** Asks a model for a proposal, and shows that it works and how that ended. */
function Ask({ subject, onOpen }: { subject: Subject; onOpen: (id: string) => void }) {
  const client = useQueryClient();
  const asking = useAsking(subject.id);
  const may = useMay();
  const here = useRef(true);
  useEffect(() => {
    here.current = true;
    return () => void (here.current = false);
  }, []);
  const waits = asking !== undefined && asking.problem === undefined;
  const isTeam = subject.kind === "team";
  const press = async () => {
    const id = await propose(client, subject);
    // On another page nothing moves under the person's hands. Home names the proposal.
    if (id !== undefined && here.current) onOpen(id);
  };
  return (
    <Panel
      title="Level-up"
      aside={
        <>
          <Help word="level-up" />
          {may(isTeam ? "teams.manage" : "claws.write") && (
            <Button
              look="primary"
              busy={waits}
              icon={<Sparkles size={14} aria-hidden />}
              onClick={() => void press()}
            >
              {asking?.problem ? "Try again" : "Propose a level-up"}
            </Button>
          )}
        </>
      }
    >
      <p className="max-w-[90ch] px-4 py-3 text-fg-2">
        A model reads the{" "}
        {isTeam
          ? "roles, instructions, brains and ended runs of the team"
          : "agent's instructions, brain, skills and ended runs"}{" "}
        and proposes changes, each with its evidence. Nothing changes until a person approves it.
      </p>
      {!may(isTeam ? "teams.manage" : "claws.write") && (
        <div className="px-4 pb-3">
          <MissingRight what="ask for proposals" least="member" />
        </div>
      )}
      {waits && (
        <div className="border-t border-line">
          <Waiting subject={subject} since={asking.since} />
        </div>
      )}
      {asking?.problem && (
        <ProblemNote problem={asking.problem} className="mx-4 mb-4">
          {asking.problem.fields.length > 0 && (
            <ul className="mt-1 list-disc pl-4 text-small text-fg-2">
              {asking.problem.fields.map(({ pointer, detail }, at) => (
                <li key={at} className="break-words">
                  <code className="font-mono">{visible(pointer)}</code> {visible(detail)}
                </li>
              ))}
            </ul>
          )}
        </ProblemNote>
      )}
    </Panel>
  );
}

const row =
  "group relative flex flex-wrap items-start gap-x-4 gap-y-1 border-b border-line px-4 py-2.5 last:border-0 hover:bg-line/25 focus-within:bg-line/25";
const rowLink =
  "rounded-control font-[550] outline-none after:absolute after:inset-0 group-hover:text-accent focus-visible:after:outline-2 focus-visible:after:-outline-offset-2 focus-visible:after:outline-accent";

/** A proposal opens on the page of its agent or team. */
function ProposalLink({ one }: { one: LevelUpBrief }) {
  const text = contents(one);
  if (one.team_id)
    return (
      <Link
        to="/teams/$id"
        params={{ id: one.team_id }}
        search={{ tab: "level-ups", proposal: one.id }}
        className={rowLink}
      >
        {text}
      </Link>
    );
  return (
    <Link
      to="/claws/$id"
      params={{ id: one.agent_id ?? "" }}
      search={{ app: "level-ups", proposal: one.id }}
      className={rowLink}
    >
      {text}
    </Link>
  );
}

function Row({ one, subject }: { one: LevelUpBrief; subject: Subject }) {
  const state = STATUSES[one.status];
  return (
    <li data-row className={row}>
      <Status {...state} className="w-[132px] shrink-0" />
      <div className="min-w-0 flex-1 basis-56">
        <p>
          <ProposalLink one={one} />
        </p>
        {one.payload.items.length > 0 && (
          <p className="line-clamp-2 break-words text-fg-2">
            <bdi>{visible(one.payload.items.map(({ summary }) => summary).join(" · "))}</bdi>
          </p>
        )}
        <p className="text-small text-fg-3">
          {one.team_id && subject.kind === "agent" && "From a level-up of its team. "}
          {one.status === "applied" &&
            `${one.applied_items.length} of ${one.payload.items.length} applied${one.approved_by ? " by" : ""} `}
          {one.status === "applied" && one.approved_by && <Person user={one.approved_by} />}
          {one.status === "applied" && ". "}
          By {one.model === "scripted" ? "a script" : <bdi>{visible(one.model)}</bdi>}
        </p>
      </div>
      <p className="text-small text-fg-3">
        <Ago at={one.applied_at ?? one.created_at} />
      </p>
    </li>
  );
}

function List({
  title,
  list,
  none,
  subject,
}: {
  title: string;
  list: LevelUpBrief[];
  none: string;
  subject: Subject;
}) {
  return (
    <Panel title={title} aside={list.length > 0 && list.length}>
      {list.length === 0 && <p className="px-4 py-3 text-fg-2">{none}</p>}
      <ul>
        {list.map((one) => (
          <Row key={one.id} one={one} subject={subject} />
        ))}
      </ul>
    </Panel>
  );
}

interface Props {
  subject: Subject;
  /** The proposal that the address names. */
  opened: string | undefined;
  onOpen: (id: string | undefined) => void;
}

/** The level-ups of an agent or a team: asked for, waiting for a decision, decided; or one of them. */
export function LevelUps({ subject, opened, onOpen }: Props) {
  const pending = useQuery(pendingLevelUpsQuery);
  const decided = useQuery(decidedQuery(subject));
  if (opened !== undefined) return <Proposal key={opened} id={opened} onClose={() => onOpen(undefined)} />;
  return (
    <div className="flex flex-col gap-4">
      <Ask subject={subject} onOpen={onOpen} />
      <QueryView query={pending} what="the proposals that wait" rows={2}>
        {(all) => (
          <List
            title="Waiting for a decision"
            list={pendingOf(all, subject)}
            none="No proposal waits for a decision."
            subject={subject}
          />
        )}
      </QueryView>
      <QueryView query={decided} what="the decided proposals" rows={2}>
        {(list) => list.length > 0 && <List title="Decided" list={list} none="" subject={subject} />}
      </QueryView>
    </div>
  );
}
