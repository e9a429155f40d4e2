import { useState } from "react";
import { keys } from "~/api/keys";
import type { RepoProvider } from "~/api/types";
import { AddressField } from "~/ui/address-field";
import { ConnectForm } from "~/ui/form-dialog";
import { Choice, Field } from "~/ui/field";
import { SecretField } from "~/ui/secret-field";
import { connect } from "./queries";
import { HOSTS } from "./words";

export function ConnectDialog({ onClose }: { onClose: () => void }) {
  const [provider, setProvider] = useState<RepoProvider>("github");
  const host = HOSTS[provider];
  return (
    <ConnectForm
      title="Connect a code host"
      lead="Its repositories are listed here. Nothing is changed there."
      renews={keys.repos}
      connect={(typed) =>
        connect({
          provider,
          token: typed("token") ?? "",
          owner: typed("owner"),
          label: typed("label"),
          base_url: typed("base_url"),
        })
      }
      onClose={onClose}
    >
      {(problem) => (
        <>
          <Choice
            label="Host"
            name="provider"
            value={provider}
            error={problem?.field("/provider")}
            onChange={(event) => setProvider(event.target.value as RepoProvider)}
          >
            {Object.entries(HOSTS).map(([key, { name }]) => (
              <option key={key} value={key}>
                {name}
              </option>
            ))}
          </Choice>
          {host.elsewhere !== "never" && (
            <AddressField
              label={host.elsewhere === "perhaps" ? "Address (optional)" : "Address"}
              required={host.elsewhere === "always"}
              placeholder="https://git.example.com"
              hint={host.elsewhere === "perhaps" ? "Leave empty for gitlab.com." : undefined}
              problem={problem}
            />
          )}
          <Field
            label={`${host.owner} (optional)`}
            name="owner"
            autoComplete="off"
            hint="Leave empty to include everything the token can access."
            error={problem?.field("/owner")}
          />
          <SecretField
            label="Access token"
            name="token"
            required
            hint={`${host.token} It goes to the secret broker and is never shown again.`}
            error={problem?.field("/token")}
          />
          <Field label="Label (optional)" name="label" autoComplete="off" error={problem?.field("/label")} />
        </>
      )}
    </ConnectForm>
  );
}
