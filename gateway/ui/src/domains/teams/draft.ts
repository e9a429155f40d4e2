// A team that is being put together, and what is sent of it: only what differs from its template.
import type { Use } from "~/api/types";
import { number } from "~/ui/bytes";
import type { NewTeam, RiskProfile, RoleOfTeam, TemplateBrief, TopologyKind } from "~/api/teams";

export interface DraftRole {
  slot: string;
  title: string;
  seat: string | null;
  summary: string;
  name: string;
  model: string;
  /** Commands, one on each line. */
  checks: string;
  here: boolean;
}
export interface Draft {
  name: string;
  kind: TopologyKind;
  roles: DraftRole[];
  shared: boolean;
  profile: string;
  model: string;
  /** As the gateway calls it; null is the workspace's placement. */
  machine: string | null;
  /** A name of the deployment's images; null is the template's. */
  image: string | null;
  /** Whether the team is made although something is missing. */
  accepts: boolean;
}

export const draftOf = (template: TemplateBrief): Draft => ({
  name: template.name.slice(0, 100),
  kind: template.default_topology as TopologyKind,
  roles: template.roles.map(({ slot, title, seat, summary }) => ({
    slot,
    title,
    seat: seat ?? null,
    summary,
    name: "",
    model: "",
    checks: "",
    here: true,
  })),
  shared: true,
  profile: "",
  model: "",
  machine: null,
  image: null,
  accepts: false,
});

/** What is missing here for the sandboxes of the team; nothing when its agents may not work in them. What another image
 * lacks, the gateway says when it refuses the team. */
export function lacksOf(draft: Draft, template: TemplateBrief) {
  if ((draft.profile || template.risk_profile) === "toolfree") return [];
  const { lacks } = template.image;
  return draft.image ? lacks.filter(({ what }) => what === "no_gpu") : lacks;
}

/** The draft with a change. What was accepted holds only for the image, the machine and the permissions that it was said of. */
export function changed(draft: Draft, more: Partial<Draft>): Draft {
  const others = (["image", "machine", "profile"] as const).some((key) => key in more);
  return { ...draft, ...(others && { accepts: false }), ...more };
}

/** Whether something was chosen or typed that would be lost. */
export const isTouched = (draft: Draft, template: TemplateBrief) =>
  JSON.stringify(draft) !== JSON.stringify(draftOf(template));

/** Those that will be there: left-out ones are not, and a single agent is the first. */
export const working = ({ kind, roles }: Draft) => {
  const here = roles.filter((role) => role.here);
  return kind === "single" ? here.slice(0, 1) : here;
};

/** What the workspace's plan lacks for a team of so many new agents, in words; nothing when they fit. */
export function missingAgents(wanted: number, { used, limit }: Use): string | undefined {
  const free = Math.max(0, limit - used);
  const missing = wanted - free;
  if (missing <= 0) return undefined;
  const needs = wanted === 1 ? "1 agent" : `${number(wanted)} agents`;
  return `This team needs ${needs}. The plan of the workspace has room for ${number(free)} more: ${number(missing)} ${missing === 1 ? "is" : "are"} missing.`;
}

export function bodyOf(draft: Draft, template: TemplateBrief): NewTeam {
  const roles = working(draft).map((role): RoleOfTeam => {
    const [name, model] = [role.name.trim(), role.model.trim()];
    const checks = role.checks
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean);
    return {
      slot: role.slot,
      ...(name && { name }),
      ...(model && { model_binding: model }),
      ...(checks.length > 0 && { checks }),
    };
  });
  const model = draft.model.trim();
  return {
    name: draft.name.trim(),
    template_id: template.id,
    topology: draft.kind,
    roles,
    shared_sandbox: draft.shared,
    ...(draft.profile && { risk_profile: draft.profile as RiskProfile }),
    ...(model && { model_binding: model }),
    ...(draft.machine && { machine_id: draft.machine }),
    ...(draft.image && { image: draft.image }),
    ...(draft.accepts && { accept_lacks: true }),
  };
}
