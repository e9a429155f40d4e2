import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Pencil } from "lucide-react";
import { useState, type SubmitEvent } from "react";
import { api } from "~/api/client";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { components } from "~/api/schema";
import { Button } from "~/ui/button";
import { ClashPart } from "~/ui/clash/clash";
import { useEdit } from "~/ui/clash/edit";
import { number } from "~/ui/bytes";
import { DataTable, type Column } from "~/ui/data-table";
import { DialogActions, Modal } from "~/ui/dialog";
import { Field } from "~/ui/field";
import { NarrowFold } from "~/ui/fold";
import { ProblemNote } from "~/ui/problem";
import { QueryView } from "~/ui/query-view";
import { Status } from "~/ui/status";
import { visible } from "~/ui/visible";
import { plansQuery } from "./queries";

type Plan = components["schemas"]["PlanLimits"];

/** Whether the gateway answers at the address by which others are to reach it. */
export function PublicAddress() {
  const [url, setUrl] = useState(() => location.origin);
  const check = useMutation({
    mutationFn: () => api.post("/api/ops/public-address/check", { body: { url: url.trim() } }),
  });
  const problem = check.isError ? asProblem(check.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    check.mutate();
  };
  return (
    <NarrowFold id="address" title="Public address" summary="Where others reach this Roost">
      <form onSubmit={submit} className="flex flex-col gap-3 p-4">
        <p className="text-fg-2">
          Commands that pair machines and links of invitations hold this address. An operator sets it as{" "}
          <code className="font-mono text-small">public_url</code> in roost.toml. Without that setting, it is
          the address at which you opened this page.
        </p>
        <Field
          label="Address"
          type="url"
          required
          maxLength={500}
          autoComplete="off"
          spellCheck="false"
          value={url}
          error={problem?.field("/url")}
          onChange={(event) => {
            setUrl(event.target.value);
            check.reset();
          }}
        />
        <div className="flex min-h-7 flex-wrap items-center gap-3">
          <Button type="submit" busy={check.isPending}>
            Check
          </Button>
          <span role="status" className="min-w-0">
            {check.data && (
              <Status
                tone={check.data.reachable ? "done" : "failed"}
                word={
                  check.data.reachable
                    ? "This Roost answers there, as its own host sees it."
                    : visible(check.data.reason ?? "This Roost does not answer there.")
                }
                className="whitespace-normal"
              />
            )}
          </span>
        </div>
        {problem && problem.fields.length === 0 && <ProblemNote problem={problem} />}
      </form>
    </NarrowFold>
  );
}

const LIMITS = [
  ["agents", "Agents", "In each workspace with this plan."],
  ["live_containers", "Running sandboxes", "At the same time, in each workspace with this plan."],
  ["workspaces", "Workspaces", "That one person may own."],
] as const;

const LABELS = Object.fromEntries(LIMITS.map(([key, label]) => [key, label])) as Record<Limit, string>;
type Limit = (typeof LIMITS)[number][0];

const draftOf = (plan: Plan): Record<Limit, string> => ({
  agents: String(plan.agents),
  live_containers: String(plan.live_containers),
  workspaces: String(plan.workspaces),
});

function Edit({ plan, onClose }: { plan: Plan; onClose: () => void }) {
  const client = useQueryClient();
  const edit = useEdit(plan, draftOf, {
    read: async () => {
      const { items } = await client.fetchQuery({ ...plansQuery, staleTime: 0 });
      return items.find(({ name }) => name === plan.name) ?? plan;
    },
  });
  const save = useMutation({
    mutationFn: () =>
      edit.send((to, from) =>
        api.put("/api/ops/plans/{name}", {
          path: { name: plan.name },
          body: {
            agents: Number(to.agents),
            live_containers: Number(to.live_containers),
            workspaces: Number(to.workspaces),
          },
          ifMatch: from.version,
        }),
      ),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: keys.plans });
      await client.invalidateQueries({ queryKey: keys.quota });
      onClose();
    },
  });
  const problem = save.isError ? asProblem(save.error) : undefined;
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Modal
      open
      onClose={onClose}
      title={`Limits of the plan ${visible(plan.name)}`}
      lead="They apply at once, to all workspaces with this plan. A smaller limit deletes nothing."
    >
      <form onSubmit={submit} className="flex flex-col gap-4">
        {LIMITS.map(([key, label, hint]) => (
          <Field
            key={key}
            label={label}
            hint={hint}
            inputMode="numeric"
            pattern="[0-9]+"
            required
            autoComplete="off"
            value={edit.draft[key]}
            error={problem?.field(`/${key}`)}
            onChange={(event) => edit.set({ [key]: event.target.value })}
          />
        ))}
        {problem && problem.fields.length === 0 && !edit.clash && <ProblemNote problem={problem} />}
        <ClashPart
          clash={edit.clash}
          what="plan"
          id={plan.name}
          labels={LABELS}
          busy={save.isPending}
          onTheirs={() => {
            save.reset();
            edit.take();
          }}
        />
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={save.isPending} disabled={edit.clash !== undefined}>
            Save limits
          </Button>
        </DialogActions>
      </form>
    </Modal>
  );
}

/** The plans of the deployment, whose limits an operator changes. */
export function Plans() {
  const plans = useQuery(plansQuery);
  const [editing, setEditing] = useState<string>();
  const edited = plans.data?.items.find(({ name }) => name === editing);
  const figure = (name: string, of: (plan: Plan) => number): Column<Plan> => ({
    name,
    look: "text-right",
    cell: "tabular-nums",
    show: (plan) => number(of(plan)),
  });
  const columns: Column<Plan>[] = [
    { name: "Plan", cell: "whitespace-nowrap", show: ({ name }) => <bdi>{visible(name)}</bdi> },
    figure("Agents", ({ agents }) => agents),
    figure("Sandboxes", ({ live_containers }) => live_containers),
    figure("Workspaces", ({ workspaces }) => workspaces),
    {
      name: "Actions",
      quiet: true,
      cell: "text-right",
      show: (plan) => (
        <Button
          aria-label={`Change limits of ${visible(plan.name)}`}
          icon={<Pencil size={14} aria-hidden className="sm:hidden" />}
          className="max-sm:px-2"
          onClick={() => setEditing(plan.name)}
        >
          <span className="max-sm:hidden">Change</span>
        </Button>
      ),
    },
  ];
  return (
    <NarrowFold id="plans" title="Plans" summary={plans.data && `${plans.data.items.length} plans`}>
      <QueryView query={plans} what="plans" rows={3}>
        {({ items, ...given }) => (
          <>
            <DataTable columns={columns} rows={items} keyOf={({ name }) => name} caption="Plans" />
            <p className="border-t border-line px-4 py-2 text-small text-fg-2">
              New workspaces get {visible(given.default)}. Those that people of the identity provider get by
              themselves have {visible(given.signup)}.
            </p>
          </>
        )}
      </QueryView>
      {edited && <Edit plan={edited} onClose={() => setEditing(undefined)} />}
    </NarrowFold>
  );
}
