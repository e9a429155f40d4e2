import { useQueryClient } from "@tanstack/react-query";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import { useOneChange } from "~/ui/clash/one-change";
import { Choice, Tick } from "~/ui/field";
import { NarrowFold } from "~/ui/fold";
import { ProblemNote } from "~/ui/problem";
import { ImageChoice, LimitFields } from "~/ui/sandbox-choice";
import { BUNDLE_NAMES, bundleName, imageName, PROFILE_NAMES, profileName } from "~/ui/template-words";
import { configQuery, configure, type RightsChange, type RuntimeConfig } from "./queries";

const TOOLS = "Its own tools";
const IMAGE = "Its own image";

/** What the agent has of its own. Its team and its template add to it. */
export function Rights({ now }: { now: RuntimeConfig }) {
  const client = useQueryClient();
  const one = useOneChange({
    now,
    read: () => client.fetchQuery({ ...configQuery(now.agent_id), staleTime: 0 }),
    renew: () => client.invalidateQueries({ queryKey: keys.claw(now.agent_id) }),
    key: ["rights", now.agent_id],
    what: "agent",
    id: now.agent_id,
  });
  // While a change is under way, what was asked for is shown.
  const asked = (label: string) => (one.asked?.label === label ? (one.asked.mine as unknown) : undefined);
  const own = new Set<string>((asked(TOOLS) as string[] | undefined) ?? now.record_bundles);
  const tick = (bundle: string, has: boolean) =>
    BUNDLE_NAMES.map(({ value }) => value).filter((one) => (one === bundle ? has : own.has(one)));
  return (
    <NarrowFold id="own" title="The agent's own permissions" summary={profileName(now.record_profile)}>
      <div className="grid gap-4 px-4 py-3 sm:grid-cols-2">
        <div className="flex flex-col gap-4">
          <Choice
            label="What it may do"
            disabled={one.busy}
            value={now.record_profile}
            onChange={(event) => {
              const risk_profile = event.target.value as NonNullable<RightsChange["risk_profile"]>;
              one.change<string>({
                label: "What it may do",
                of: ({ record_profile }) => record_profile,
                mine: risk_profile,
                words: profileName,
                send: (from) => configure(from, { risk_profile }),
              });
            }}
          >
            {PROFILE_NAMES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Choice>
          <div className="flex flex-col gap-1">
            <ImageChoice
              label={IMAGE}
              value={one.asked?.label === IMAGE ? (one.asked.mine as string | null) : (now.image ?? null)}
              inherited="None: its team's or its template's"
              disabled={one.busy}
              onChange={(image) =>
                one.change({
                  label: IMAGE,
                  of: (config) => config.image ?? null,
                  mine: image,
                  words: imageName,
                  send: (from) => configure(from, { image }),
                })
              }
            />
            <p className="text-small text-fg-3">A sandbox that is there keeps its image and limits.</p>
          </div>
        </div>
        <fieldset className="flex flex-col gap-2" disabled={one.busy}>
          <legend className="mb-1.5 text-small font-[550] text-fg-2">{TOOLS}</legend>
          {BUNDLE_NAMES.map(({ value, label }) => (
            <Tick
              key={value}
              label={label}
              checked={own.has(value)}
              onChange={(event) => {
                const bundles = tick(value, event.target.checked);
                one.change<readonly string[]>({
                  label: TOOLS,
                  of: ({ record_bundles }) => record_bundles,
                  mine: bundles,
                  words: (all) => all.map(bundleName).join(", "),
                  send: (from) =>
                    configure(from, { mcp_bundles: bundles as NonNullable<RightsChange["mcp_bundles"]> }),
                });
              }}
            />
          ))}
        </fieldset>
        <p className="text-small text-fg-3 sm:col-span-2">
          Permissions of its team or its template replace the agent's own. Tools of all three are combined, as
          far as the permissions allow.
        </p>
        <LimitFields
          limits={now.limits}
          busy={one.busy}
          problem={one.error ? asProblem(one.error) : undefined}
          what="agent"
          id={now.agent_id}
          save={(limits) =>
            one.changeAsync({
              label: "Its limits",
              of: (config) => config.limits,
              mine: limits,
              send: (from) => configure(from, { limits }),
              ownNote: true,
            })
          }
        />
        {one.note}
        {one.error && <ProblemNote problem={asProblem(one.error)} className="sm:col-span-2" />}
      </div>
    </NarrowFold>
  );
}
