import { useIsMutating, useQuery, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { keys } from "~/api/keys";
import { nodesQuery } from "~/api/nodes";
import { asProblem } from "~/api/problem";
import type { RiskProfile, Team } from "~/api/teams";
import { useOneChange } from "~/ui/clash/one-change";
import { Choice, Tick } from "~/ui/field";
import { NarrowFold } from "~/ui/fold";
import { Facts } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { limitWords } from "~/ui/limits";
import { ImageChoice, ImageWords, LimitFields } from "~/ui/sandbox-choice";
import { bundleName, imageName, PROFILE_NAMES, profileName, profileSays } from "~/ui/template-words";
import { visible } from "~/ui/visible";
import { MachineChoice, MachineState } from "./machine";
import { NameForm } from "./name";
import { RepositoryForm, RepositoryWords } from "./repository";
import { changeKey, setMachine, setProfile, setSandbox, teamQuery } from "./queries";

const MACHINE = "Machine of their sandboxes";
const IMAGE = "Image of their sandboxes";
const SHARED = "One sandbox for all";

/** What its agents may use, and with what permissions. */
export function Use({ team, manages }: { team: Team; manages: boolean }) {
  const client = useQueryClient();
  const busy = useIsMutating({ mutationKey: changeKey(team) }) > 0;
  const one = useOneChange({
    now: team,
    read: () => client.fetchQuery({ ...teamQuery(team.id), staleTime: 0 }),
    renew: () => client.invalidateQueries({ queryKey: keys.teams }),
    key: changeKey(team),
    what: "team",
    id: team.id,
  });
  const nodes = useQuery(nodesQuery);
  const machineWord = (id: string | null) =>
    id === null
      ? "where the workspace's placement says"
      : (nodes.data?.find((node) => node.id === id)?.name ?? "the gateway's own machine");
  const machine = team.machine_id ?? null;
  return (
    <NarrowFold id="use" title="What its agents may use" summary={profileName(team.effective_profile)}>
      <Facts
        items={[
          ["Permissions", `${profileName(team.effective_profile)}. ${profileSays(team.effective_profile)}`],
          ["Tools", [...team.effective_bundles].map(bundleName).join(", ") || "none"],
          ["Sandbox", team.shared_sandbox ? "one for all of them" : "one for each of them"],
          ...(manages
            ? []
            : [["Machine", <MachineState key="machine" value={machine} />] as [string, ReactNode]]),
          ["Image", <ImageWords key="image" image={team.effective_image} />],
          ["Limits", limitWords(team.limits)],
          ["Repository", <RepositoryWords key="repo" team={team} />],
          ["Model", visible(team.model_binding || "the workspace's model, if a member has no own model")],
        ]}
      />
      {manages && (
        <div className="grid gap-4 border-t border-line px-4 py-3 sm:grid-cols-2">
          <NameForm team={team} busy={busy} />
          <Choice
            label="What they may do"
            disabled={busy}
            value={team.risk_profile ?? ""}
            onChange={(event) => {
              const profile = event.target.value as RiskProfile | "";
              one.change<string>({
                label: "What they may do",
                of: ({ risk_profile }) => risk_profile ?? "",
                mine: profile,
                words: (value) => (value ? profileName(value) : "As the template says"),
                send: (from) => setProfile(from, profile),
              });
            }}
          >
            <option value="">As the template says</option>
            {PROFILE_NAMES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Choice>
          <div className="flex flex-col gap-1">
            <MachineChoice
              label={MACHINE}
              value={one.asked?.label === MACHINE ? (one.asked.mine as string | null) : machine}
              disabled={busy}
              onChange={(next) =>
                one.change({
                  label: MACHINE,
                  of: ({ machine_id }) => machine_id ?? null,
                  mine: next,
                  words: machineWord,
                  send: (from) => setMachine(from, next),
                })
              }
            />
            <p className="text-small text-fg-3">Sandboxes that are there stay where they are.</p>
          </div>
          <div className="flex flex-col gap-1">
            <ImageChoice
              label={IMAGE}
              value={one.asked?.label === IMAGE ? (one.asked.mine as string | null) : (team.image ?? null)}
              inherited={team.template_id ? "As the template says" : "The deployment's default image"}
              disabled={busy}
              onChange={(image) =>
                one.change({
                  label: IMAGE,
                  of: (now) => now.image ?? null,
                  mine: image,
                  words: imageName,
                  send: (from) => setSandbox(from, { image }),
                })
              }
            />
            <p className="text-small text-fg-3">Sandboxes that are there keep their image and limits.</p>
          </div>
          <Tick
            label={SHARED}
            hint="The next work begins in the other sandbox, with its own files. Sandboxes that are there stay."
            checked={one.asked?.label === SHARED ? Boolean(one.asked.mine) : team.shared_sandbox}
            disabled={busy}
            onChange={(event) => {
              const shared_sandbox = event.target.checked;
              one.change({
                label: SHARED,
                of: (now) => now.shared_sandbox,
                mine: shared_sandbox,
                words: (shared) => (shared ? "yes" : "no"),
                send: (from) => setSandbox(from, { shared_sandbox }),
              });
            }}
          />
          <LimitFields
            limits={team.limits}
            busy={busy}
            problem={one.error ? asProblem(one.error) : undefined}
            what="team"
            id={team.id}
            save={(limits) =>
              one.changeAsync({
                label: "Limits",
                of: (now) => now.limits,
                mine: limits,
                send: (from) => setSandbox(from, { limits }),
                ownNote: true,
              })
            }
          />
          <RepositoryForm team={team} busy={busy} />
          {one.note}
          {one.error && <ProblemNote problem={asProblem(one.error)} className="sm:col-span-2" />}
        </div>
      )}
    </NarrowFold>
  );
}
