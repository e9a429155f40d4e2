import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { AppConnection, AppOptions, Claw } from "~/api/types";
import { Button } from "~/ui/button";
import { DialogActions, Modal } from "~/ui/dialog";
import { isolate } from "~/ui/isolate";
import { Failed } from "~/ui/problem";
import { Radios } from "~/ui/radios";
import { Loading } from "~/ui/skeleton";
import { AppForm } from "./app-form";
import { Settings } from "./begin-problem";
import { McpForm } from "./mcp-form";
import { optionsQuery } from "./queries";

type Kind = "app" | "mcp";

interface Props {
  claw: Claw;
  /** What it is connected to already: a second connection to the same app takes the place of the first. */
  has: AppConnection[];
  onClose: () => void;
}

/** Nothing can be connected: says what whoever operates the gateway has to do. */
function Nothing({ options, onClose }: { options: AppOptions; onClose: () => void }) {
  return (
    <>
      <p className="font-[550]">Apps cannot be connected on this gateway yet.</p>
      <p className="mt-1 text-fg-2">
        It needs a client at a sign-in service, and an address of its own that the service can send your
        browser back to.
      </p>
      <Settings names={options.missing} />
      <DialogActions>
        <Button onClick={onClose}>Close</Button>
      </DialogActions>
    </>
  );
}

function Ways({ claw, has, options, onClose }: Props & { options: AppOptions }) {
  const apps = options.oauth && options.providers.length > 0;
  const [kind, setKind] = useState<Kind>(apps ? "app" : "mcp");
  if (!apps && !options.mcp_oauth) return <Nothing options={options} onClose={onClose} />;
  return (
    <div className="flex flex-col gap-4">
      {apps && options.mcp_oauth && (
        <Radios
          label="What"
          value={kind}
          options={[
            { value: "app", label: "An app" },
            { value: "mcp", label: "An MCP server" },
          ]}
          onChange={setKind}
        />
      )}
      {kind === "app" ? (
        <AppForm claw={claw} has={has} providers={options.providers} onClose={onClose} />
      ) : (
        <McpForm claw={claw} has={has} onClose={onClose} />
      )}
    </div>
  );
}

/** Connects an agent: what to, then the browser goes to where the person signs in. */
export function ConnectDialog(props: Props) {
  const options = useQuery(optionsQuery);
  const { claw, onClose } = props;
  return (
    <Modal
      open
      onClose={onClose}
      title={`Connect ${isolate(claw.name.slice(0, 80))}`}
      lead="You sign in at the app, which sends you back here. The token goes into the secret broker; nobody can read it back, you and the agent included."
    >
      {options.isPending && <Loading what="what can be connected" rows={2} />}
      {options.isError && !options.data && (
        <Failed error={options.error} retry={() => void options.refetch()} className="" />
      )}
      {options.data && <Ways {...props} options={options.data} />}
    </Modal>
  );
}
