// Missions of the mock, over HTTP.
import { ago } from "./ids.ts";
import { leave, makeMission, makePhase, settle, type Mission } from "./missions.ts";
import { must, Refusal } from "./refusal.ts";
import { keyOf, type AskedOf, type Routes } from "./route.ts";
import type { Schemas } from "./schema.ts";
import { makeTeam } from "./teams.ts";

type Kind = Schemas["MissionPhaseKind"];
type Plan = Schemas["LaunchPlan"];

const KINDS: Record<Schemas["MissionTemplateKind"], Kind[]> = {
  research: ["research"],
  development: ["research", "coding"],
  benchmark: ["benchmark"],
  security: ["security_scan"],
  full_cycle: ["research", "coding", "benchmark", "security_scan"],
  custom: [],
};

export const one = ({ state, params }: AskedOf): Mission =>
  must(
    state.missions.list.find(({ id }) => id === params.id),
    "There is no such mission",
  );

/** A mission without what only its own page shows. */
function briefOf(mission: Mission): Schemas["Mission"] {
  const { phase_details: _p, tasks: _t, artifacts: _a, ...rest } = mission;
  const { repo_full_name: _r, waits_for_node: _w, ...brief } = rest;
  return brief;
}

/** The teams that a mission minted: their names begin with their template and end with its title. */
const minted = (mission: Mission) =>
  mission.phase_details.flatMap(({ runs }) =>
    runs.flatMap(({ team_id, team_name }) =>
      team_id && team_name?.endsWith(`: ${mission.title}`) ? [team_id] : [],
    ),
  );

interface Config {
  phases?: Kind[];
  phase_teams?: Partial<Record<Kind, string[]>>;
}

const wanted = (mission: Mission) =>
  Object.entries((mission.config as Config).phase_teams ?? {}).flatMap(([purpose, ids]) =>
    (ids ?? []).map((id) => [purpose as Kind, id] as const),
  );

function planOf(at: AskedOf): Plan {
  const mission = one(at);
  const { templates, missions } = at.state;
  const teams = wanted(mission).map(([purpose, id]): Plan["teams"][number] => {
    const template = must(templates.find((each) => each.id === id));
    return {
      purpose,
      template_id: id,
      name: `${template.name}: ${mission.title}`,
      roles: template.roles.map(({ slot }) => slot),
      steps: { least: template.roles.length, most: template.roles.length * 2 },
    };
  });
  const blockers = teams.length === 0 ? ["The mission names no team. Choose a team template."] : [];
  return {
    teams,
    agents: teams.reduce((sum, { roles }) => sum + roles.length, 0),
    place: mission.target_node_id
      ? "On the machine workshop, and nowhere else."
      : "Where the workspace's placement says: the gateway's own machine.",
    blockers: missions.blockers ?? blockers,
    lacks: missions.lacks ?? [],
    ...(missions.probes && { probes: missions.probes }),
  };
}

function move(at: AskedOf, status: Mission["status"], accepts: boolean): Mission {
  const mission = one(at);
  const { state } = at;
  if (mission.status === "draft" && status === "running") {
    if ((state.missions.lacks ?? []).length > 0 && !accepts)
      throw new Refusal(409, "sandbox-lacks", "The sandboxes would lack something");
    for (const [, id] of wanted(mission)) {
      const template = must(state.templates.find((each) => each.id === id));
      state.teams.list.push(makeTeam(state, template, { name: `${template.name}: ${mission.title}` }));
    }
    Object.assign(mission.phase_details[0], { status: "running", attempt: 1, started_at: ago(0) });
    mission.launched_at = ago(0);
  }
  mission.status = status;
  mission.status_reason = status === "running" ? null : "person";
  mission.status_detail = null;
  if (["failed", "cancelled"].includes(status)) mission.ended_at = ago(0);
  return settle(mission);
}

function phaseOf(at: AskedOf & { params: { phase_id: string } }) {
  const mission = one(at);
  const phase = must(
    mission.phase_details.find(({ id }) => id === at.params.phase_id),
    "The mission has no such phase",
  );
  return { mission, phase };
}

function goOn(mission: Mission): Mission {
  Object.assign(mission, { status: "running", status_reason: null, status_detail: null });
  return settle(mission);
}

/** Makes a PDF pending. A test says when it is ready. */
function pdfAsked(at: AskedOf, source: string | null) {
  const mission = one(at);
  const made = mission.artifacts.find(({ pdf }) => pdf && (pdf.source_id ?? null) === source);
  if (made && made.status !== "failed") return { status: made.status === "ready" ? 200 : 202, body: made };
  const title = mission.artifacts.find(({ id }) => id === source)?.title ?? `Report of ${mission.title}`;
  const pdf = { source_id: source, pages: null, bytes: null };
  if (made) Object.assign(made, { status: "pending", error: null });
  const whole =
    made ??
    leave(at.state, mission, { kind: "pdf", title, phase_id: null, status: "pending", content: null, pdf });
  return { status: 202, body: whole };
}

export const missionRoutes = {
  "GET /api/missions": ({ state, query }) => {
    const team = query.get("team_id");
    return {
      body: {
        items: state.missions.list
          .filter(({ status }) => !query.get("status") || status === query.get("status"))
          .filter((mission) => !team || minted(mission).includes(team))
          .map(briefOf),
        next_cursor: null,
      },
    };
  },
  "POST /api/missions": ({ state, body, request, mock }) => {
    state.missions.asked.push({ key: keyOf(request) ?? "", body });
    if (body.base_ref === "nowhere")
      throw new Refusal(400, "validation", "The request is not valid", {
        errors: [{ pointer: "/base_ref", detail: "is no branch of the repository" }],
      });
    const config = (body.config ?? {}) as Config;
    const phases = (config.phases ?? KINDS[body.template_kind]).map((kind, at) => makePhase(kind, at));
    const repo = state.repos.repos.find(({ id }) => id === body.repo_id);
    const mission = makeMission(state, {
      title: body.title ?? (body.goal ?? "").split("\n")[0],
      goal: body.goal ?? "",
      template_kind: body.template_kind,
      config: body.config ?? {},
      repo_id: body.repo_id ?? null,
      base_ref: body.base_ref ?? null,
      runtime_kind: body.runtime_kind ?? "standard",
      target_node_id: body.target_node_id ?? null,
      budget_usd: body.budget_usd ?? null,
      model: body.model ?? null,
      created_at: ago(0),
      phase_details: phases,
      ...(repo && { repo_full_name: repo.full_name }),
    });
    state.missions.list.unshift(mission);
    mock.hub.changed("mission", mission.id, mission.version);
    return { status: 201, body: mission };
  },
  "GET /api/missions/{id}": (at) => ({ body: one(at) }),
  "GET /api/missions/{id}/launch-plan": (at) => ({ body: planOf(at) }),
  "GET /api/missions/{id}/teams": (at) => {
    const runs = one(at).phase_details.flatMap(({ kind, runs: all }) => all.map((run) => ({ kind, run })));
    return {
      body: runs.flatMap(({ kind, run }) =>
        run.team_id ? [{ team_id: run.team_id, purpose: kind, team_name: run.team_name ?? null }] : [],
      ),
    };
  },
  "POST /api/missions/{id}/status": (at) => {
    const launches = one(at).status === "draft" && at.body.status === "running";
    at.state.missions.moves.push(at.body);
    return { status: launches ? 202 : 200, body: move(at, at.body.status, at.body.accept_lacks ?? false) };
  },
  "POST /api/missions/{id}/phases/{phase_id}/retry": (at) => {
    const { mission, phase } = phaseOf(at);
    Object.assign(phase, { status: "running", attempt: phase.attempt + 1, started_at: ago(0) });
    Object.assign(phase, { ended_at: null, reason: null, has_card: false });
    return { body: goOn(mission) };
  },
  "POST /api/missions/{id}/phases/{phase_id}/skip": (at) => {
    const { mission, phase } = phaseOf(at);
    phase.status = "skipped";
    return { body: goOn(mission) };
  },
  "GET /api/missions/{id}/phases/{phase_id}/summary": (at) => {
    const { phase } = phaseOf(at);
    return { body: must(at.state.missions.cards.get(phase.id), "There is no such summary card") };
  },
  "GET /api/missions/{id}/artifacts/{artifact_id}": (at) => {
    one(at);
    return { body: must(at.state.missions.contents.get(at.params.artifact_id), "There is no such artifact") };
  },
  "GET /api/missions/{id}/artifacts/{artifact_id}/content": ({ state, params, response }) => {
    const file = state.missions.files.get(params.artifact_id);
    if (file) {
      response.writeHead(200, {
        "content-type": "application/pdf",
        "content-disposition": `attachment; filename="${params.artifact_id}.pdf"`,
      });
      response.end(file);
      return;
    }
    const { content } = must(state.missions.contents.get(params.artifact_id));
    response.writeHead(200, {
      "content-type": "text/markdown",
      "content-disposition": `attachment; filename="${params.artifact_id}.md"`,
    });
    response.end(content ?? "");
  },
  "GET /api/missions/{id}/report": (at) => {
    const mission = one(at);
    at.response.writeHead(200, {
      "content-type": "text/markdown",
      "content-disposition": 'attachment; filename="mission.md"',
    });
    at.response.end(`# ${mission.title}\n`);
  },
  "POST /api/missions/{id}/report": (at) => pdfAsked(at, null),
  "POST /api/missions/{id}/artifacts/{artifact_id}/pdf": (at) => pdfAsked(at, at.params.artifact_id),
} satisfies Routes;
