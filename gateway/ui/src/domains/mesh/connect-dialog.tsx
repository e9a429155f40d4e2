import { useState } from "react";
import { keys } from "~/api/keys";
import { MESHES } from "~/api/mesh";
import type { MeshKind } from "~/api/types";
import { AddressField } from "~/ui/address-field";
import { ConnectForm } from "~/ui/form-dialog";
import { Choice, Field } from "~/ui/field";
import { SecretField } from "~/ui/secret-field";
import { connect } from "./queries";

export function ConnectDialog({ replaces, onClose }: { replaces: boolean; onClose: () => void }) {
  const [kind, setKind] = useState<MeshKind>("tailscale");
  const headscale = kind === "headscale";
  return (
    <ConnectForm
      title="Connect a mesh network"
      lead={
        replaces
          ? "It replaces the connected one. The key of that one is deleted."
          : "Its devices are shown here with the machines that they belong to. Nothing is changed there."
      }
      renews={keys.mesh}
      connect={(typed) =>
        connect({
          kind,
          api_key: typed("api_key") ?? "",
          tailnet: typed("tailnet"),
          base_url: typed("base_url"),
        })
      }
      onClose={onClose}
    >
      {(problem) => (
        <>
          <Choice
            label="Network"
            name="kind"
            value={kind}
            error={problem?.field("/kind")}
            onChange={(event) => setKind(event.target.value as MeshKind)}
          >
            {Object.entries(MESHES).map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </Choice>
          {headscale ? (
            <AddressField
              key="address"
              label="Address"
              required
              placeholder="https://mesh.example.com"
              problem={problem}
            />
          ) : (
            <Field
              key="tailnet"
              label="Tailnet (optional)"
              name="tailnet"
              autoComplete="off"
              hint="Leave it empty to use the network that the key belongs to. It is not shown again."
              error={problem?.field("/tailnet")}
            />
          )}
          <SecretField
            label="API key"
            name="api_key"
            required
            hint={`${headscale ? "Made with `headscale apikeys create`." : "An access token that may read devices (devices:core:read)."} It goes to the secret broker and is never shown again.`}
            error={problem?.field("/api_key")}
          />
        </>
      )}
    </ConnectForm>
  );
}
