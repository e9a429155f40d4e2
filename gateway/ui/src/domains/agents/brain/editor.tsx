import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { keys } from "~/api/keys";
import { asProblem, type Problem } from "~/api/problem";
import type { Brain } from "~/api/types";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { Area } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { DiffView } from "~/ui/diff/diff-view";
import { useDraft } from "./draft";
import { brains } from "./queries";

interface Props {
  id: string;
  person: string;
  brain: Brain;
  mayWrite: boolean;
}

/** Where the brain is written. What was typed stays until it is saved or discarded, whatever others do meanwhile. */
export function Editor({ id, person, brain, mayWrite }: Props) {
  const client = useQueryClient();
  const { draft, set } = useDraft(person, id);
  const [busy, setBusy] = useState(false);
  const [compare, setCompare] = useState(false);
  const [problem, setProblem] = useState<Problem>();
  const text = draft?.text ?? brain.agent_md;
  const unsaved = draft !== undefined && draft.text !== brain.agent_md;
  const moved = unsaved && draft.base !== brain.version;
  const type = (next: string) =>
    set(next === brain.agent_md ? undefined : { text: next, base: draft?.base ?? brain.version });

  const save = async (base: number) => {
    setBusy(true);
    setProblem(undefined);
    try {
      const written = await brains.write(id, text, base);
      client.setQueryData(keys.brain(id), written);
      set(undefined);
      setCompare(false);
      void client.invalidateQueries({ queryKey: keys.brainHistory(id) });
    } catch (thrown) {
      const refused = asProblem(thrown);
      // Somebody was faster: their version is fetched and shown beside the text, which stays as it is.
      if (refused.status === 412) await client.invalidateQueries({ queryKey: keys.brain(id) });
      else setProblem(refused);
    } finally {
      setBusy(false);
    }
  };
  const author = brain.author?.name || brain.author?.email || "Somebody";
  return (
    <Panel title="Brain" aside={brain.version === 0 ? "nothing written yet" : `version ${brain.version}`}>
      <div className="flex flex-col gap-3 p-4">
        <Area
          label="What this agent keeps about itself and its work, in Markdown"
          rows={18}
          spellCheck="false"
          readOnly={!mayWrite}
          value={text}
          onChange={(event) => type(event.target.value)}
          error={problem?.field("/agent_md")}
          className="font-mono text-small"
        />
        <ClashPart<{ text: string | null }>
          clash={
            moved ? { was: { text: null }, theirs: { text: brain.agent_md }, mine: { text } } : undefined
          }
          what="brain"
          who={{ name: author, at: brain.at ?? undefined }}
          labels={{ text: `Version ${brain.version}` }}
          busy={busy}
          onMine={() => void save(brain.version)}
          onTheirs={() => set(undefined)}
        />
        {problem && !problem.field("/agent_md") && <ProblemNote problem={problem} />}
        {mayWrite && (
          <div className="flex flex-wrap items-center gap-2">
            <Button
              look="primary"
              busy={busy}
              disabled={!unsaved || moved}
              onClick={() => void save(draft?.base ?? brain.version)}
            >
              Save
            </Button>
            <Button disabled={!unsaved} aria-expanded={compare} onClick={() => setCompare(!compare)}>
              {compare ? "Hide changes" : "Show changes"}
            </Button>
            <Button disabled={!unsaved || busy} onClick={() => set(undefined)}>
              Discard
            </Button>
            <span role="status" className="text-small text-fg-3">
              {unsaved ? "Not saved yet; kept in this browser" : ""}
            </span>
          </div>
        )}
      </div>
      {compare && unsaved && (
        <div className="border-t border-line">
          <DiffView
            before={brain.agent_md}
            after={text}
            label={`Your text against version ${brain.version}`}
          />
        </div>
      )}
    </Panel>
  );
}
