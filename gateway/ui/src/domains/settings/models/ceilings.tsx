import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import type { SubmitEvent } from "react";
import { MODELS } from "~/api/models";
import { asProblem } from "~/api/problem";
import { QueryView } from "~/ui/query-view";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { microusdOf, sumMistake, typedOf } from "~/ui/dollars";
import { Field } from "~/ui/field";
import { Facts, Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { money } from "~/ui/run-state";
import { Status } from "~/ui/status";
import { LeaveGuard } from "~/ui/leave-guard";
import { setCeilings, settingsQuery, type ModelSettings } from "./queries";

const sum = (value: number | null | undefined) => (value == null ? "no limit" : money(value));

const LABELS = {
  run: "Limit per run, in dollars",
  month: "Limit for 30 days, in dollars",
};
const draftOf = (now: ModelSettings) => ({
  run: typedOf(now.run_ceiling_microusd),
  month: typedOf(now.month_ceiling_microusd),
});

function Form({ now }: { now: ModelSettings }) {
  const client = useQueryClient();
  const edit = useEdit(now, draftOf, {
    read: () => client.fetchQuery({ ...settingsQuery, staleTime: 0 }),
    unversioned: true,
  });
  const form = edit.draft;
  const save = useMutation({
    mutationFn: () =>
      edit.send((to) =>
        setCeilings({
          run_ceiling_microusd: microusdOf(to.run) ?? null,
          month_ceiling_microusd: microusdOf(to.month) ?? null,
        }),
      ),
    onSuccess: () => client.invalidateQueries({ queryKey: MODELS }),
  });
  const wrong = sumMistake(form.run) ?? sumMistake(form.month);
  const { dirty } = edit;
  const problem = save.isError ? asProblem(save.error) : undefined;
  const bind = (name: keyof typeof form) => ({
    inputMode: "decimal" as const,
    autoComplete: "off",
    placeholder: "no limit",
    className: "max-w-48",
    value: form[name],
    error: sumMistake(form[name]) ?? problem?.field(`/${name}_ceiling_microusd`),
    onChange: (event: { target: { value: string } }) => edit.set({ [name]: event.target.value }),
  });
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    if (!wrong) save.mutate();
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4 p-4">
      <Field
        label={LABELS.run}
        hint="Includes the runs that it starts. You can set a lower limit when you start a run."
        {...bind("run")}
      />
      <Field label={LABELS.month} {...bind("month")} />
      {problem && problem.fields.length === 0 && !edit.clash && <ProblemNote problem={problem} />}
      <ClashPart
        clash={edit.clash}
        what="limit"
        labels={LABELS}
        busy={save.isPending}
        onTheirs={() => {
          save.reset();
          edit.take();
        }}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" busy={save.isPending} disabled={!dirty || edit.clash !== undefined}>
          Save limits
        </Button>
        {dirty && (
          <Button look="quiet" onClick={edit.take}>
            Undo
          </Button>
        )}
        <span role="status">{dirty && <Status tone="waiting" word="Not saved yet" />}</span>
      </div>
      <LeaveGuard
        dirty={dirty && !save.isPending && !save.isSuccess}
        title="Leave without saving the limits?"
        consequence="What you typed is not saved yet."
      />
    </form>
  );
}

/** The limits of the workspace; no turn of a model begins once one is reached. */
export function Ceilings({ manages }: { manages: boolean }) {
  const settings = useQuery(settingsQuery);
  return (
    <Panel title="Spending limits">
      <p className="px-4 pt-3 text-fg-2">
        A run that reaches a limit stops before its next model call and fails. While a limit is set, agents do
        not use models without a price.
      </p>
      <QueryView query={settings} what="the spending limits" rows={2}>
        {(now) =>
          manages ? (
            <Form now={now} />
          ) : (
            <Facts
              items={[
                ["Per run", sum(now.run_ceiling_microusd)],
                ["In 30 days", sum(now.month_ceiling_microusd)],
              ]}
            />
          )
        }
      </QueryView>
    </Panel>
  );
}
