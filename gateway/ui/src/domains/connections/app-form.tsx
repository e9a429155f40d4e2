import { useState, type SubmitEvent } from "react";
import { asProblem } from "~/api/problem";
import type { AppConnection, Claw } from "~/api/types";
import { Choice } from "~/ui/field";
import { BeginActions, Replaces } from "./begin-actions";
import { BeginProblem } from "./begin-problem";
import { useBegin } from "./use-begin";
import { appName } from "./words";

interface Props {
  claw: Pick<Claw, "id">;
  has: AppConnection[];
  providers: string[];
  onClose: () => void;
}

/** One of the apps whose API this gateway knows. */
export function AppForm({ claw, has, providers, onClose }: Props) {
  const [provider, setProvider] = useState(providers[0] ?? "");
  const begun = useBegin();
  const problem = begun.error && asProblem(begun.error);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    begun.start({ clawId: claw.id, provider });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <Choice
        label="App"
        value={provider}
        error={problem?.field("/provider")}
        onChange={(event) => {
          setProvider(event.target.value);
          begun.reset();
        }}
      >
        {providers.map((one) => (
          <option key={one} value={one}>
            {appName(one)}
          </option>
        ))}
      </Choice>
      {has.some((one) => one.provider === provider) && <Replaces app={appName(provider)} />}
      {problem && problem.fields.length === 0 && <BeginProblem error={begun.error} mcp={false} />}
      <BeginActions begun={begun} onClose={onClose} />
    </form>
  );
}
