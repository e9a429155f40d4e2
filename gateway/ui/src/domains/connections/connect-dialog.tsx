import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { appOptionsQuery } from "~/api/apps";
import type { AppConnection, AppOptions, Claw } from "~/api/types";
import { Modal } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { Failed } from "~/ui/problem";
import { Radios } from "~/ui/radios";
import { Loading } from "~/ui/skeleton";
import { AppForm } from "./app-form";
import { Settings } from "./begin-problem";
import { McpForm } from "./mcp-form";
import { PasteForm } from "./paste-form";
import { appName, WEBHOOK } from "./words";

type Kind = "app" | "token" | "webhook" | "mcp";

const KINDS: [Kind, string][] = [
  ["app", "Sign in at an app"],
  ["token", "Paste a token of an app"],
  ["webhook", "A webhook"],
  ["mcp", "An MCP server"],
];

interface Props {
  claw: Pick<Claw, "id" | "name">;
  /** What it is connected to already: a second connection to the same app takes the place of the first. */
  has: AppConnection[];
  onClose: () => void;
}

/** What cannot be done on this gateway, and what its operator has to set for that. */
function NoSignIn({ missing }: { missing: string[] }) {
  return (
    <div className="mt-4 border-t border-line pt-3 text-small">
      <p className="text-fg-2">
        Signing in at an app or an MCP server is not set up here. It needs a client at a sign-in service, and
        an address of this gateway to which the service can send your browser back.
      </p>
      <Settings names={missing} />
    </div>
  );
}

function Ways({ claw, has, options, onClose }: Props & { options: AppOptions }) {
  const apps = options.providers.filter((one) => one !== WEBHOOK);
  const can: Record<Kind, boolean> = {
    app: options.oauth && apps.length > 0,
    token: apps.length > 0,
    webhook: true,
    mcp: options.mcp_oauth,
  };
  const ways = KINDS.filter(([kind]) => can[kind]);
  const [kind, setKind] = useState<Kind>(ways[0]?.[0] ?? "webhook");
  const shared = { has, onClose };
  return (
    <div className="flex flex-col gap-4">
      {ways.length > 1 && (
        <Radios
          label="How"
          value={kind}
          options={ways.map(([value, label]) => ({ value, label }))}
          onChange={setKind}
        />
      )}
      {kind === "app" && <AppForm claw={claw} providers={apps} {...shared} />}
      {kind === "token" && <PasteForm key={kind} agent={claw.id} providers={apps} {...shared} />}
      {kind === "webhook" && <PasteForm key={kind} agent={claw.id} providers={[WEBHOOK]} {...shared} />}
      {kind === "mcp" && <McpForm claw={claw} {...shared} />}
      {!can.app && !can.mcp && <NoSignIn missing={options.missing} />}
    </div>
  );
}

/** Connects an agent: by a sign-in elsewhere, to which the browser goes, or with a secret that somebody has. */
export function ConnectDialog(props: Props) {
  const options = useQuery(appOptionsQuery);
  const { claw, onClose } = props;
  return (
    <Modal
      open
      onClose={onClose}
      title={`Connect ${isolate(claw.name.slice(0, 80))}`}
      lead="In each case, the token goes into the secret broker. Nobody can read it back, not even you or the agent."
    >
      {options.isPending && <Loading what="what can be connected" rows={2} />}
      {options.isError && !options.data && (
        <Failed error={options.error} retry={() => void options.refetch()} className="" />
      )}
      {options.data && <Ways {...props} options={options.data} />}
    </Modal>
  );
}

interface Renewing {
  one: AppConnection;
  /** The agent's name, where the connections of several stand together. */
  agent: string | undefined;
  onClose: () => void;
}

/** The same connection with another secret. */
export function RenewDialog({ one, agent, onClose }: Renewing) {
  const app = isolate(appName(one.provider));
  return (
    <Modal
      open
      onClose={onClose}
      title={`A new secret for ${app}${agent ? ` of ${isolate(agent.slice(0, 80))}` : ""}`}
      lead="It replaces the one that the secret broker holds. The broker deletes the old one."
    >
      <PasteForm
        agent={one.agent_id ?? ""}
        has={[]}
        providers={[one.provider]}
        renews={one}
        onClose={onClose}
      />
    </Modal>
  );
}
