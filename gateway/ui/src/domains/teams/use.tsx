import { useIsMutating, useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { keys } from "~/api/keys";
import { asProblem } from "~/api/problem";
import type { RiskProfile, Team } from "~/api/teams";
import { Choice, Tick } from "~/ui/field";
import { Facts, Panel } from "~/ui/panel";
import { ProblemNote } from "~/ui/problem";
import { limitWords } from "~/ui/limits";
import { ImageChoice, ImageWords, LimitFields } from "~/ui/sandbox-choice";
import { bundleName, PROFILE_NAMES, profileName, profileSays } from "~/ui/template-words";
import { visible } from "~/ui/visible";
import { MachineChoice, MachineState } from "./machine";
import { RepositoryForm, RepositoryWords } from "./repository";
import { changeKey, setMachine, setProfile, setSandbox } from "./queries";

/** What its agents may use, and with what right. */
export function Use({ team, manages }: { team: Team; manages: boolean }) {
  const client = useQueryClient();
  const renewed = {
    mutationKey: changeKey(team),
    onSuccess: () => client.invalidateQueries({ queryKey: keys.teams }),
  };
  const busy = useIsMutating({ mutationKey: changeKey(team) }) > 0;
  const move = useMutation({
    mutationFn: (machine: string | null) => setMachine(team, machine),
    ...renewed,
  });
  const change = useMutation({
    mutationFn: (profile: RiskProfile | "") => setProfile(team, profile),
    ...renewed,
  });
  const equip = useMutation({
    mutationFn: (body: Parameters<typeof setSandbox>[1]) => setSandbox(team, body),
    ...renewed,
  });
  const problem = move.error ?? change.error ?? equip.error;
  const machine = team.machine_id ?? null;
  return (
    <Panel title="What its agents may use">
      <Facts
        items={[
          ["Right", `${profileName(team.effective_profile)}. ${profileSays(team.effective_profile)}`],
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
          <Choice
            label="Change the right"
            disabled={busy}
            value={team.risk_profile ?? ""}
            onChange={(event) => change.mutate(event.target.value as RiskProfile | "")}
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
              label="Machine of their sandboxes"
              value={move.isPending ? move.variables : machine}
              disabled={busy}
              onChange={(next) => move.mutate(next)}
            />
            <p className="text-small text-fg-3">Sandboxes that are there stay where they are.</p>
          </div>
          <div className="flex flex-col gap-1">
            <ImageChoice
              label="Image of their sandboxes"
              value={(equip.isPending ? equip.variables.image : team.image) ?? null}
              inherited={team.template_id ? "As the template says" : "The deployment's default image"}
              disabled={busy}
              onChange={(image) => equip.mutate({ image })}
            />
            <p className="text-small text-fg-3">Sandboxes that are there keep their image and limits.</p>
          </div>
          <Tick
            label="One sandbox for all"
            hint="The next work begins in the other sandbox, with its own files. Sandboxes that are there stay."
            checked={(equip.isPending ? equip.variables.shared_sandbox : undefined) ?? team.shared_sandbox}
            disabled={busy}
            onChange={(event) => equip.mutate({ shared_sandbox: event.target.checked })}
          />
          <LimitFields
            key={JSON.stringify(team.limits)}
            limits={team.limits}
            busy={busy}
            problem={equip.isError ? asProblem(equip.error) : undefined}
            save={(limits) => equip.mutate({ limits })}
          />
          <RepositoryForm key={`${team.repo?.repo_id}/${team.repo?.base}`} team={team} busy={busy} />
          {problem && <ProblemNote problem={asProblem(problem)} className="sm:col-span-2" />}
        </div>
      )}
    </Panel>
  );
}
