import { useRef, useState, type SubmitEvent } from "react";
import { keys } from "~/api/keys";
import type { AppConnection } from "~/api/types";
import { Button } from "~/ui/button";
import { DialogActions } from "~/ui/dialog";
import { Choice, Field } from "~/ui/field";
import { SecretField } from "~/ui/secret-field";
import { useSending } from "~/ui/sending";
import { Replaces } from "./begin-actions";
import { PasteProblem } from "./paste-problem";
import { paste } from "./queries";
import { appName, secretMistake, tokenHint, WEBHOOK, webhookMistake } from "./words";

interface Props {
  agent: string;
  has: AppConnection[];
  /** Apps to choose from; `[WEBHOOK]` asks for an address instead. */
  providers: string[];
  /** A connection that gets another secret: its app is not chosen again. */
  renews?: AppConnection;
  onClose: () => void;
}

/** Connects with a secret that somebody has: a token of an app, or what a webhook knows its callers by. */
export function PasteForm({ agent, has, providers, renews, onClose }: Props) {
  const [provider, setProvider] = useState(providers[0] ?? "");
  const webhook = provider === WEBHOOK;
  const [url, setUrl] = useState(webhook ? (renews?.issuer_url ?? "") : "");
  const [wrong, setWrong] = useState<{ url?: string | undefined; secret?: string | undefined }>({});
  const form = useRef<HTMLFormElement>(null);
  const { busy, problem, unplaced, send, reset } = useSending(keys.connections, onClose);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const field = form.current?.elements.namedItem("secret");
    if (!form.current || !(field instanceof HTMLInputElement)) return;
    const secret = field.value.trim();
    const found = { url: webhook ? webhookMistake(url) : undefined, secret: secretMistake(secret) };
    setWrong(found);
    if (found.url || found.secret) return;
    const body = { clawId: agent, provider, secret, ...(webhook && { url: url.trim() }) };
    void send(form.current, () => paste(body));
  };
  return (
    <form ref={form} onSubmit={submit} noValidate className="flex flex-col gap-3">
      {webhook && (
        <Field
          label="Address of the webhook"
          name="url"
          type="url"
          inputMode="url"
          autoComplete="off"
          spellCheck="false"
          maxLength={2048}
          placeholder="https://hooks.example.org/roost"
          value={url}
          error={wrong.url ?? problem?.field("/url")}
          hint="Approved events are sent here as JSON, by POST, and nowhere else."
          onChange={(event) => {
            setUrl(event.target.value);
            setWrong((now) => ({ ...now, url: undefined }));
            reset();
          }}
          onBlur={() => url !== "" && setWrong((now) => ({ ...now, url: webhookMistake(url) }))}
        />
      )}
      {!webhook && !renews && (
        <Choice
          label="App"
          name="provider"
          value={provider}
          error={problem?.field("/provider")}
          onChange={(event) => {
            setProvider(event.target.value);
            reset();
          }}
        >
          {providers.map((one) => (
            <option key={one} value={one}>
              {appName(one)}
            </option>
          ))}
        </Choice>
      )}
      <SecretField
        name="secret"
        label={webhook ? "Secret" : "Token"}
        error={wrong.secret ?? problem?.field("/secret")}
        hint={tokenHint(provider)}
        onChange={() => wrong.secret && setWrong((now) => ({ ...now, secret: undefined }))}
      />
      {has.some((one) => one.provider === provider) && <Replaces app={appName(provider)} />}
      {unplaced && <PasteProblem problem={unplaced} />}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" busy={busy}>
          Connect
        </Button>
      </DialogActions>
    </form>
  );
}
