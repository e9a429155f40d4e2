import { useMutation, useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { Choice, Tick } from "~/ui/field";
import { Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { ImageChoice, LimitFields } from "~/ui/sandbox-choice";
import { BUNDLE_NAMES, PROFILE_NAMES } from "~/ui/template-words";
import { configure, type RightsChange, type RuntimeConfig } from "./queries";

/** What the agent has of its own. Its team and its template add to it. */
export function Rights({ now }: { now: RuntimeConfig }) {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (body: RightsChange) => configure(now, body),
    onSettled: () => client.invalidateQueries({ queryKey: keys.claw(now.agent_id) }),
  });
  // While a change is under way, what was asked for is shown.
  const asked = change.isPending ? change.variables.mcp_bundles : undefined;
  const own = new Set<string>(asked ?? now.record_bundles);
  const tick = (bundle: string, has: boolean) =>
    BUNDLE_NAMES.map(({ value }) => value).filter((one) => (one === bundle ? has : own.has(one)));
  return (
    <Panel title="What it may do of its own">
      <div className="grid gap-4 px-4 py-3 sm:grid-cols-2">
        <Choice
          label="Its own right"
          disabled={change.isPending}
          value={now.record_profile}
          onChange={(event) =>
            change.mutate({ risk_profile: event.target.value as NonNullable<RightsChange["risk_profile"]> })
          }
        >
          {PROFILE_NAMES.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </Choice>
        <fieldset className="flex flex-col gap-2" disabled={change.isPending}>
          <legend className="text-small text-fg-2">Its own tools</legend>
          {BUNDLE_NAMES.map(({ value, label }) => (
            <Tick
              key={value}
              label={label}
              checked={own.has(value)}
              onChange={(event) =>
                change.mutate({
                  mcp_bundles: tick(value, event.target.checked) as NonNullable<RightsChange["mcp_bundles"]>,
                })
              }
            />
          ))}
        </fieldset>
        <p className="text-small text-fg-3 sm:col-span-2">
          A team or a template that names a right goes before the agent's own. Tools add up, as far as that
          right allows.
        </p>
        <div className="flex flex-col gap-1">
          <ImageChoice
            label="Its own image"
            value={(change.isPending ? change.variables.image : now.image) ?? null}
            inherited="None: its team's or its template's"
            disabled={change.isPending}
            onChange={(image) => change.mutate({ image })}
          />
          <p className="text-small text-fg-3">A sandbox that is there keeps its image and limits.</p>
        </div>
        <LimitFields
          key={JSON.stringify(now.limits)}
          limits={now.limits}
          busy={change.isPending}
          problem={change.isError ? asProblem(change.error) : undefined}
          save={(limits) => change.mutate({ limits })}
        />
        {change.isError && <ProblemNote problem={asProblem(change.error)} className="sm:col-span-2" />}
      </div>
    </Panel>
  );
}
