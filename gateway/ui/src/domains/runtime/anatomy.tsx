import { Link } from "@tanstack/react-router";
import { appName } from "~/ui/app-name";
import { bytes, number } from "~/ui/bytes";
import { textLink } from "~/ui/class";
import { Facts, Panel } from "~/ui/panel";
import { sentence } from "~/ui/sentence";
import { kindName } from "~/ui/topology/kinds";
import { visible } from "~/ui/visible";
import type { Compartments } from "./queries";

const steps = (count: number) => `${count} ${count === 1 ? "step" : "steps"}`;

function Teams({ now }: { now: Compartments }) {
  if (now.seats.length === 0) return <>none</>;
  return (
    <ul className="flex flex-col gap-1">
      {now.seats.map((seat) => (
        <li key={`${seat.team_id}/${seat.node}`} className="min-w-0 break-words">
          <Link to="/teams/$id" params={{ id: seat.team_id }} className={textLink}>
            <bdi>{visible(seat.team_name)}</bdi>
          </Link>{" "}
          <span className="text-small text-fg-3">
            as <bdi>{visible(seat.slot)}</bdi>, {kindName(seat.topology).toLowerCase()}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The agent in its parts: who it is, what it remembers, can and has, and where it works. */
export function Anatomy({ now }: { now: Compartments }) {
  const { identity, memory, body } = now;
  const pinned = now.skills.filter((one) => one.pinned).length;
  const tab = (app: string, text: string) => (
    <Link to="/claws/$id" params={{ id: now.agent_id }} search={{ app }} className={textLink}>
      {text}
    </Link>
  );
  return (
    <Panel title="Summary" aside={now.at_work > 0 && `working on ${steps(now.at_work)}`}>
      <Facts
        items={[
          [
            "Identity",
            <span key="identity" className="break-words">
              <bdi>{visible(identity.name)}</bdi>
              {identity.role && (
                <>
                  , <bdi>{visible(identity.role)}</bdi>
                </>
              )}
              ;{" "}
              {identity.prompt_words === 0
                ? "no instructions"
                : `instructions of ${number(identity.prompt_words)} words`}
            </span>,
          ],
          [
            "Memory",
            memory.version === 0 ? (
              "empty"
            ) : (
              <span key="memory">
                {tab("brain", `version ${memory.version}`)}, {bytes(memory.bytes)}
              </span>
            ),
          ],
          [
            "Sandbox",
            body ? (
              <span key="body">
                {tab("sandbox", sentence(visible(body.state)))},{" "}
                {body.node_id === "local" ? (
                  "on the gateway's own machine"
                ) : (
                  <Link to="/fleet/$id" params={{ id: body.node_id }} className={textLink}>
                    on its machine
                  </Link>
                )}
              </span>
            ) : (
              "none yet; Roost creates one when the agent needs it"
            ),
          ],
          [
            "Skills",
            pinned === 0
              ? number(now.skills.length)
              : `${number(now.skills.length)}, ${number(pinned)} pinned`,
          ],
          ["Tools", number(now.tools.length)],
          [
            "Apps",
            now.apps.length === 0 ? (
              "none"
            ) : (
              <span key="apps">{tab("apps", now.apps.map(appName).map(visible).join(", "))}</span>
            ),
          ],
          ["Teams", <Teams key="teams" now={now} />],
        ]}
      />
    </Panel>
  );
}
