import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Door, DoorAction } from "~/api/doors";
import { keys } from "~/api/keys";
import { Confirm } from "~/ui/dialog";
import { asked } from "~/ui/door-words";
import { Area } from "~/ui/field";
import { Notice } from "~/ui/notice";
import { visible } from "~/ui/visible";
import { Branch } from "./branch";
import { Destination } from "./destination";
import { Decided } from "./outcome";
import { Packages } from "./packages";
import { resolve, take, type Decision } from "./queries";
import { Request } from "./request";
import { stateOf } from "./words";

interface Props {
  door: Door;
  action: DoorAction | undefined;
  agent: string;
  own: string | undefined;
  decision: Decision;
  onDecided: (door: Door) => void;
  onClose: () => void;
}

const WORDS = {
  approve: {
    verb: "Approve",
    says: (door: Door) => {
      if (door.packages)
        return "Roost fetches exactly these packages, checks their hashes, and puts them into the sandbox.";
      return door.branch
        ? "Roost sends exactly this commit at once, with the credential of the code host."
        : "Roost sends it at once, in the name of the agent's connection. You can't undo this.";
    },
  },
  deny: {
    verb: "Deny",
    says: (door: Door) =>
      `Roost ${door.packages ? "fetches" : "sends"} nothing and informs the agent. The agent may ask again.`,
  },
};

/** Asks once more, with the whole request in view. Focus begins on Cancel, so that no stray Enter decides anything. */
export function DecisionDialog({ door, action, agent, own, decision, onDecided, onClose }: Props) {
  const client = useQueryClient();
  const [reason, setReason] = useState("");
  const { verb, says } = WORDS[decision];
  const over = door.state !== "pending";
  const title = action?.title ?? door.action;
  return (
    <Confirm
      open
      wide
      onClose={onClose}
      title={`${verb}: ${visible(title)}?`}
      consequence={
        <>
          <bdi>{agent}</bdi> asks to <span className="break-words">{asked(door.action, door.target)}</span>.{" "}
          {says(door)}
          {decision === "approve" && !over && <Destination door={door} />}
        </>
      }
      action={verb}
      look={decision === "approve" ? "primary" : "danger"}
      off={over}
      run={async () => {
        const decided = await resolve(door.id, decision, decision === "deny" ? reason.trim() : undefined);
        onDecided(decided);
        take(client, decided);
        await client.invalidateQueries({ queryKey: keys.doors });
      }}
    >
      {over && (
        <Notice tone="warning" className="mt-3">
          <span role="status">
            Nothing is left to decide: {stateOf(door.state).word.toLowerCase()}{" "}
            <Decided door={door} own={own} />
          </span>
        </Notice>
      )}
      {decision === "deny" && !over && (
        <div className="mt-3">
          <Area
            label="Reason (optional)"
            hint="The agent reads it, and can do something else."
            rows={2}
            maxLength={1000}
            value={reason}
            onChange={(event) => setReason(event.currentTarget.value)}
          />
        </div>
      )}
      {/* Long requests scroll, also by keyboard. */}
      <div
        role="region"
        aria-label="The whole request"
        tabIndex={0}
        className="mt-3 min-h-24 flex-1 overflow-y-auto rounded-control"
      >
        {door.branch && (
          <div className="mb-3">
            <Branch branch={door.branch} whole />
          </div>
        )}
        {door.packages && (
          <div className="mb-3">
            <Packages of={door.packages} whole />
          </div>
        )}
        <Request door={door} action={action} whole />
      </div>
    </Confirm>
  );
}
