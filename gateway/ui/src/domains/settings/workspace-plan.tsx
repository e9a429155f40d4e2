import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { quotaQuery } from "~/api/quota";
import type { Me } from "~/api/types";
import { Button } from "~/ui/button";
import { number } from "~/ui/bytes";
import { Choice } from "~/ui/field";
import { Help } from "~/ui/help";
import { Panel } from "~/ui/panel";
import { Failed, ProblemNote } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { plansQuery, setPlan } from "./queries";
import { tooSmall } from "./words";

/** Another plan, for operators of the deployment. */
function Form({ workspace, present }: { workspace: string; present: string }) {
  const client = useQueryClient();
  const plans = useQuery(plansQuery);
  const quota = useQuery(quotaQuery);
  const [wanted, setWanted] = useState(present);
  const save = useMutation({
    mutationFn: () => setPlan(workspace, wanted),
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
        onChange={(event) => setWanted(event.target.value)}
        error={problem?.field("/plan")}
        hint={(chosen && quota.data && tooSmall(chosen, quota.data)) ?? "The new limits hold at once."}
      >
        {!chosen && <option value={wanted}>{wanted} (not in the configuration any more)</option>}
        {plans.data.items.map(({ name, agents, live_containers }) => (
          <option key={name} value={name}>
            {name}: {number(agents)} agents, {number(live_containers)} running sandboxes
          </option>
        ))}
      </Choice>
      {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
      <div>
        <Button type="submit" busy={save.isPending} disabled={wanted === present}>
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
              What is in use
            </Link>
          </p>
        )}
        {quota.data && me.operator && (
          <Form key={quota.data.plan} workspace={me.workspace.id} present={quota.data.plan} />
        )}
        {quota.data && !me.operator && (
          <p className="text-small text-fg-3">An operator of this deployment sets the plan.</p>
        )}
      </div>
    </Panel>
  );
}
