// What agents ask for at a door, in words.
import { isolate } from "./isolate";
import { visible } from "./visible";

/** Each action of the catalogue, as what the agent would do. */
const DOORS: Record<string, string> = {
  "github.issues.create": "open an issue",
  "github.issues.comment": "comment on the issue",
  "github.issues.close": "close the issue",
  "github.pulls.create": "open a pull request",
  "github.pulls.comment": "comment on the pull request",
  "github.pulls.merge": "merge the pull request",
  "webhook.event.send": "send an event to its webhook",
  "repo.branch.push": "push a branch",
  "repo.pulls.create": "open a pull request",
  "supplies.packages.add": "add packages",
};

/** What an agent asked to do, and where: the second half came from the agent, so nothing of it is unseen. */
export function asked(action: string, target: string | undefined): string {
  const what = DOORS[action] ?? `do “${visible(action)}”`;
  return target && !action.startsWith("webhook.") ? `${what} at ${isolate(visible(target))}` : what;
}
