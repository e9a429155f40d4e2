import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { quotaQuery } from "~/api/quota";
import type { Me } from "~/api/types";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { number } from "~/ui/bytes";
import { Choice } from "~/ui/field";
import { Help } from "~/ui/help";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { plansQuery, setPlan } from "./queries";
import { tooSmall } from "./words";

const draftOf = (plan: string) => ({ plan });

/** Another plan, for operators of the deployment. */
function Form({ workspace, present }: { workspace: string; present: string }) {
  const client = useQueryClient();
  const plans = useQuery(plansQuery);
  const quota = useQuery(quotaQuery);
  const edit = useEdit(present, draftOf, {
    read: async () => (await client.fetchQuery({ ...quotaQuery, staleTime: 0 })).plan,
    unversioned: true,
  });
  const wanted = edit.draft.plan;
  const save = useMutation({
    mutationFn: () => edit.send((to) => setPlan(workspace, to.plan)),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.quota }),
  });
  const problem = save.isError ? asProblem(save.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  if (plans.isPending) return <Loading what="plans" rows={1} className="" />;
  if (plans.isError) return <Failed error={plans.error} retry={() => void plans.refetch()} className="" />;
  const chosen = plans.data.items.find(({ name }) => name === wanted);
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Choice
        label="Plan"
        help={<Help word="plan" />}
        value={wanted}
        onChange={(event) => edit.set({ plan: event.target.value })}
        error={problem?.field("/plan")}
        hint={(chosen && quota.data && tooSmall(chosen, quota.data)) ?? "The new limits apply at once."}
      >
        {!chosen && <option value={wanted}>{wanted} (not in the configuration any more)</option>}
        {plans.data.items.map(({ name, agents, live_containers }) => (
          <option key={name} value={name}>
            {name}: {number(agents)} agents, {number(live_containers)} running sandboxes
          </option>
        ))}
      </Choice>
      {problem && problem.fields.length === 0 && !edit.clash && <ProblemNote problem={problem} />}
      <ClashPart
        clash={edit.clash}
        what="workspace"
        id={workspace}
        labels={{ plan: "Plan" }}
        busy={save.isPending}
        onTheirs={() => {
          save.reset();
          edit.take();
        }}
      />
      <div>
        <Button type="submit" busy={save.isPending} disabled={wanted === present || edit.clash !== undefined}>
          Set plan
        </Button>
      </div>
    </form>
  );
}

/** The plan of the workspace, and what it allows. */
export function WorkspacePlan({ me }: { me: Me }) {
  const quota = useQuery(quotaQuery);
  return (
    <Panel title="Plan" aside={quota.data?.plan}>
      <div className="flex flex-col gap-3 p-4">
        {quota.isPending && <Loading what="the plan" rows={1} className="" />}
        {quota.isError && !quota.data && (
          <Failed error={quota.error} retry={() => void quota.refetch()} className="" />
        )}
        {quota.data && (
          <p className="text-fg-2">
            {number(quota.data.agents.used)} of {number(quota.data.agents.limit)} agents,{" "}
            {number(quota.data.live_containers.used)} of {number(quota.data.live_containers.limit)} running
            sandboxes.{" "}
            <Link to="/quotas" className="text-accent underline">
              View usage
            </Link>
          </p>
        )}
        {quota.data && me.operator && <Form workspace={me.workspace.id} present={quota.data.plan} />}
        {quota.data && !me.operator && (
          <p className="text-small text-fg-3">An operator of this deployment sets the plan.</p>
        )}
      </div>
    </Panel>
  );
}
