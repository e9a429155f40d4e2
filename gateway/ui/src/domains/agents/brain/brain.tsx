import { useQuery } from "@tanstack/react-query";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import type { Brain } from "~/api/types";
import { Button } from "~/ui/button";
import { Markdown } from "~/ui/markdown/markdown";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { Panel } from "~/ui/panel";
import { Failed } from "~/ui/problem";
import { Segments } from "~/ui/segments";
import { Loading } from "~/ui/skeleton";
import { useDraft } from "./draft";
import { Editor } from "./editor";
import { History } from "./history";
import { brainQuery } from "./queries";

const VIEWS = [
  ["read", "Read"],
  ["edit", "Edit"],
  ["history", "History"],
] as const;
export type BrainView = (typeof VIEWS)[number][0];

/** What an address asks for; without a word a brain that has something in it is read, an empty one is written. */
export function viewOf(asked: string | undefined, empty: boolean, mayWrite: boolean): BrainView {
  const offered = VIEWS.map(([view]) => view).filter((view) => mayWrite || view !== "edit");
  return offered.find((view) => view === asked) ?? (empty && mayWrite ? "edit" : "read");
}

function Reader({
  brain,
  person,
  id,
  onEdit,
}: {
  brain: Brain;
  person: string;
  id: string;
  onEdit?: () => void;
}) {
  const { draft } = useDraft(person, id);
  const unsaved = onEdit && draft !== undefined && draft.text !== brain.agent_md;
  return (
    <Panel title="Brain" aside={brain.version === 0 ? "nothing written yet" : `version ${brain.version}`}>
      <div className="flex flex-col gap-4 p-4">
        {unsaved && (
          <Notice action={<Button onClick={onEdit}>Continue editing</Button>}>
            This is the saved text. You have changes that are not saved yet.
          </Notice>
        )}
        {brain.agent_md.trim() === "" ? (
          <p className="text-fg-2">Nothing is written here yet.</p>
        ) : (
          // A long brain scrolls within its panel, so it can be reached by keyboard.
          <div
            role="region"
            aria-label="Text of the brain"
            // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
            tabIndex={0}
            className="max-h-[70vh] overflow-auto focus-visible:-outline-offset-2"
          >
            <Markdown text={brain.agent_md} what="the brain" />
          </div>
        )}
      </div>
    </Panel>
  );
}

interface Props {
  id: string;
  mayWrite: boolean;
  view: string | undefined;
  onView: (view: BrainView) => void;
}

/** What an agent knows: the text, who changed it when, and the way back. */
export function BrainTab({ id, mayWrite, view: asked, onView }: Props) {
  const brain = useQuery(brainQuery(id));
  const me = useQuery(meQuery);
  const may = useMay()("claws.write");
  if (brain.isPending || !me.data)
    return <Loading what="the brain" rows={6} className="rounded-panel border border-line bg-surface" />;
  if (!brain.data) return <Failed error={brain.error} retry={() => void brain.refetch()} className="" />;
  const person = me.data.user.id;
  const view = viewOf(asked, brain.data.agent_md === "", mayWrite);
  const options = VIEWS.filter(([one]) => mayWrite || one !== "edit");
  return (
    <div className="flex flex-col items-stretch gap-3">
      <div>
        <Segments label="What to do with the brain" value={view} options={options} onChange={onView} />
      </div>
      {view === "read" && (
        <Reader
          id={id}
          person={person}
          brain={brain.data}
          {...(mayWrite && { onEdit: () => onView("edit") })}
        />
      )}
      {view === "edit" && <Editor id={id} person={person} brain={brain.data} mayWrite={mayWrite} />}
      {view === "history" && <History id={id} brain={brain.data} mayWrite={mayWrite} />}
      {!may && <MissingRight what="edit an agent's brain" least="member" />}
    </div>
  );
}
