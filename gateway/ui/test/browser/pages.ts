// Every page with the mock's things, by a short name for its picture.
import { readdirSync } from "node:fs";
import { missionNamed } from "../mock/missions.ts";
import { makeRoutine } from "../mock/routes-routines.ts";
import type { Mock } from "./fixtures.ts";
import { agentNamed } from "./fixtures.ts";

/** Also the pages whose things the mock has only with missions, and every tab. */
export function allPagesOf(state: Mock["state"]): Record<string, string> {
  const claw = `/claws/${agentNamed(state, "mason").id}`;
  const team = `/teams/${state.teams.list[0].id}`;
  const routine = makeRoutine(state);
  if (!state.routines.list.length) state.routines.list.push(routine);
  const guides = readdirSync(new URL("../../../../deploy/guide", import.meta.url))
    .filter((name) => name.endsWith(".md"))
    .map((name) => name.replace(".md", ""));
  return {
    ...pagesOf(state),
    "agent-work": `${claw}?app=work`,
    "agent-levelups": `${claw}?app=level-ups`,
    "team-activity": `${team}?tab=activity`,
    "team-sandbox": `${team}?tab=sandbox`,
    "team-files": `${team}?tab=files`,
    "team-levelups": `${team}?tab=level-ups`,
    mission: `/missions/${missionNamed(state, "Faster parser").id}`,
    "mission-stuck": `/missions/${missionNamed(state, "Mend the clock").id}`,
    "mission-draft": `/missions/${missionNamed(state, "Compare three databases").id}`,
    "mission-over": `/missions/${missionNamed(state, "Read the old code").id}`,
    routines: "/routines",
    "routine-new": "/routines/new",
    routine: `/routines/${state.routines.list[0].id}`,
    ...Object.fromEntries(guides.map((name) => [`guide-${name}`, `/guide/${name}`])),
  };
}

export function pagesOf(state: Mock["state"]): Record<string, string> {
  const claw = agentNamed(state, "mason");
  const bare = agentNamed(state, "lookout");
  return {
    home: "/",
    fleet: "/fleet",
    node: `/fleet/${state.nodes[0].id}`,
    offline: `/fleet/${state.nodes[2].id}`,
    agents: "/agents",
    agent: `/claws/${claw.id}`,
    "no-sandbox": `/claws/${bare.id}?app=sandbox`,
    "agent-sandbox": `/claws/${claw.id}?app=sandbox`,
    "agent-files": `/claws/${claw.id}?app=files&path=src/lib.rs`,
    activity: `/claws/${claw.id}?app=activity`,
    runtime: `/claws/${claw.id}?app=runtime`,
    apps: `/claws/${claw.id}?app=apps`,
    declined: `/claws/${bare.id}?app=apps&declined=github`,
    brain: `/claws/${state.claws[0].id}?app=brain`,
    "brain-edit": `/claws/${state.claws[0].id}?app=brain&view=edit`,
    "brain-history": `/claws/${state.claws[0].id}?app=brain&view=history`,
    connections: "/connections",
    approvals: "/approvals",
    figures: "/fleet?view=figures&metric=memory&span=6h",
    repos: "/repos",
    repo: `/repos/${state.repos.repos[0].id}`,
    connect: "/repos?dialog=connect",
    skills: "/skills",
    skill: `/skills/${state.skills[0].id}`,
    "skill-new": "/skills?dialog=new",
    templates: "/templates",
    template: `/templates/${state.templates[0].id}`,
    teams: "/teams",
    "team-new": "/teams/new",
    "team-build": `/teams/new?template=${state.templates[1].id}`,
    team: `/teams/${state.teams.list[0].id}`,
    missions: "/missions",
    world: "/world",
    "mission-new": "/missions/new",
    runs: "/runs",
    compare: "/runs/compare",
    run: `/runs/${state.runs.list[0].id}`,
    mesh: "/mesh",
    audit: "/audit",
    members: "/members",
    quotas: "/quotas",
    settings: "/settings",
    "settings-models": "/settings/models",
    "settings-sign-in": "/settings/sign-in",
    "settings-connections": "/settings/connections",
    "settings-mesh": "/settings/mesh",
    "settings-broker": "/settings/broker",
    operator: "/operator",
    explained: `/operator?actor=${encodeURIComponent(`root/fleet/node-${state.nodes[0].name}`)}`,
    promises: "/operator/promises",
    account: "/account",
    "new-agent": "/agents?dialog=new",
    pair: "/fleet?dialog=pair",
    lost: "/no/such/page",
  };
}
