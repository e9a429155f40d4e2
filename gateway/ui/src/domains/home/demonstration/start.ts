// Starts the demonstration with the requests of a person's own work: an upload, a team, a run.
import { all, api, newKey } from "~/api/client";
import { SCRIPTED } from "~/api/models";
import { Problem } from "~/api/problem";
import { startRun, type RunSummary } from "~/api/runs";
import type { Team, TemplateBrief } from "~/api/teams";
import { createUpload, type Upload } from "~/api/uploads";
import { pack } from "~/ui/upload/tar";
import { entries, NAME } from "./files";

const TEMPLATE = "rust_sdlc";
const TEAM = "Demonstration";
const GOAL = "The tests fail. Find out why, mend the cause, and commit it.";

const missing = (title: string, detail: string) => new Problem({ code: "missing", status: 0, title, detail });

/** The built-in template of the team. It is refused here when something is missing for its sandboxes. */
async function template(): Promise<TemplateBrief> {
  const found = (await all("/api/team-templates")).find(
    ({ key, source }) => key === TEMPLATE && source === "builtin",
  );
  if (!found)
    throw missing(
      "The template of the demonstration is missing",
      `This gateway has no built-in template ${TEMPLATE}.`,
    );
  const { lacks } = found.image;
  if (lacks.length > 0)
    throw missing(
      "Something is missing for the demonstration",
      lacks.map(({ detail, remedy }) => `${detail} ${remedy}`).join(" "),
    );
  return found;
}

function archive(): Blob {
  const files = entries();
  if (files.length === 0)
    throw missing(
      "The files of the demonstration are missing",
      "This page was built without the folder deploy/demo/repository. Build the page in a whole clone.",
    );
  return pack(files);
}

/** A person starts the demonstration. A second try uses what the first one made, so a person who tries again gets one team. */
export class Attempt {
  private key = newKey();
  private upload: Upload | undefined;
  private team: Team | undefined;

  /** `tell` gets each step as a sentence. */
  async start(tell: (step: string) => void): Promise<RunSummary> {
    try {
      return await this.steps(tell);
    } catch (error) {
      // A team or an upload that is gone is made anew.
      if (error instanceof Problem && [400, 404].includes(error.status)) {
        this.key = newKey();
        this.upload = undefined;
        this.team = undefined;
      }
      throw error;
    }
  }

  private async steps(tell: (step: string) => void): Promise<RunSummary> {
    tell("Sending the files.");
    const { id } = await template();
    this.upload ??= await createUpload(NAME, archive(), {
      progress: () => undefined,
      signal: new AbortController().signal,
    });
    tell("Creating the team.");
    this.team ??= await api.post("/api/teams", {
      body: { name: TEAM, template_id: id, model_binding: SCRIPTED },
      idempotencyKey: `${this.key}-team`,
    });
    tell("Starting the run.");
    return startRun(this.team.id, { input: GOAL, repo: { upload_id: this.upload.id } }, `${this.key}-run`);
  }
}
