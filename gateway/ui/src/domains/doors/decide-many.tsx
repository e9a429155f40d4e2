// Several requests are approved or denied at once.
import { useQueryClient } from "@tanstack/react-query";
import type { Door } from "~/api/doors";
import { keys } from "~/api/keys";
import { Problem } from "~/api/problem";
import { renew } from "~/live/renew";
import { asked } from "~/ui/door-words";
import { BulkDialog, countOf } from "~/ui/list/bulk";
import { visible } from "~/ui/visible";
import { resolve, take, type Decision } from "./queries";
import { stateOf } from "./words";

const REQUESTS = ["request", "requests"] as const;

const WORDS = {
  approve: {
    verb: "Approve",
    done: "Approved",
    look: "primary",
    lead: [
      "Roost carries out the request at once, in the name of the agent's connection. You can't undo this. This list does not show the content of the request.",
      "Roost carries out all of these requests at once, in the name of the agents' connections. You can't undo this. This list does not show the content of the requests.",
    ],
  },
  deny: {
    verb: "Deny",
    done: "Denied",
    look: "danger",
    lead: [
      "Roost does nothing and informs the agent. The agent may ask again.",
      "Roost does nothing and informs the agents. The agents may ask again.",
    ],
  },
} as const;

/** Whether the gateway did as it was asked. Another person may have decided before. */
const agrees = ({ state }: Door, decision: Decision) =>
  decision === "deny" ? state === "denied" : !["pending", "denied", "expired"].includes(state);

interface Props {
  decision: Decision;
  doors: Door[];
  agentOf: (door: Door) => string;
  onClose: () => void;
}

/** Names each request with its agent and its address before anything is decided. */
export function DecideMany({ decision, doors, agentOf, onClose }: Props) {
  const client = useQueryClient();
  const { verb, done, look, lead } = WORDS[decision];
  const count = countOf(doors.length, REQUESTS);
  return (
    <BulkDialog
      title={`${verb} ${count}?`}
      lead={lead[doors.length === 1 ? 0 : 1]}
      targets={doors}
      nameOf={(door) => (
        <span className="block break-words whitespace-normal">
          <bdi className="font-[550]">{agentOf(door)}</bdi> asks to {asked(door.action, door.target)}
          <bdi className="block font-mono text-small break-all text-fg-3">{visible(door.address)}</bdi>
        </span>
      )}
      what={REQUESTS}
      action={`${verb} ${count}`}
      look={look}
      done={done}
      act={async ({ id }) => {
        const decided = await resolve(id, decision);
        take(client, decided);
        if (!agrees(decided, decision))
          throw new Problem({
            code: "decided-before",
            status: 409,
            title: `Decided before: ${stateOf(decided.state).word}`,
          });
      }}
      onClose={() => {
        void renew(client, { queryKey: keys.doors });
        onClose();
      }}
    />
  );
}
