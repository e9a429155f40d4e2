import { useMutation } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Play } from "lucide-react";
import { useRef, useState, type KeyboardEvent, type SubmitEvent } from "react";
import { asProblem } from "~/api/problem";
import { startRun } from "~/api/runs";
import type { Team } from "~/api/teams";
import { Button } from "~/ui/button";
import { microusdOf, sumMistake } from "~/ui/dollars";
import { Area, Field } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";

const newKey = () => `${Date.now()}-${crypto.getRandomValues(new Uint32Array(2)).join("")}`;

/** What the team is to do next. */
export function Goal({ team }: { team: Team }) {
  const [text, setText] = useState("");
  const [most, setMost] = useState("");
  const [key, setKey] = useState(newKey);
  const form = useRef<HTMLFormElement>(null);
  const navigate = useNavigate();
  const run = useMutation({ mutationFn: () => startRun(team.id, text.trim(), microusdOf(most), key) });
  const problem = run.isError ? asProblem(run.error) : undefined;
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const begun = await run.mutateAsync().catch(() => undefined);
    if (begun) await navigate({ to: "/runs/$id", params: { id: begun.id } });
  };
  const sends = (event: KeyboardEvent) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
  };
  return (
    <Panel title="Give it a goal">
      <form ref={form} onSubmit={(event) => void submit(event)} className="flex flex-col gap-3 px-4 py-3">
        <Area
          label="Goal"
          required
          maxLength={100_000}
          rows={3}
          value={text}
          onKeyDown={sends}
          onChange={(event) => {
            setText(event.target.value);
            setKey(newKey());
          }}
          hint="What should be there when they are done. Ctrl and Enter starts."
          error={problem?.field("/input")}
        />
        <Field
          label="May cost at most, in dollars"
          inputMode="decimal"
          className="max-w-40"
          autoComplete="off"
          placeholder="no bound"
          value={most}
          onChange={(event) => {
            setMost(event.target.value);
            setKey(newKey());
          }}
          error={sumMistake(most) ?? problem?.field("/cost_ceiling_microusd")}
        />
        {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
        <Button
          type="submit"
          look="primary"
          className="self-start"
          busy={run.isPending}
          disabled={text.trim() === "" || sumMistake(most) !== undefined}
          icon={<Play size={14} aria-hidden />}
        >
          Run
        </Button>
      </form>
    </Panel>
  );
}
