import { useState, type SubmitEvent } from "react";
import { asProblem } from "~/api/problem";
import type { AppConnection, Claw } from "~/api/types";
import { Field } from "~/ui/field";
import { BeginActions, Replaces } from "./begin-actions";
import { BeginProblem } from "./begin-problem";
import { useBegin } from "./use-begin";
import { addressMistake, NAME, nameFrom } from "./words";

const BAD_NAME = "1 to 63 lower-case letters, digits, _ and -, beginning with a letter or a digit.";

interface Props {
  claw: Pick<Claw, "id">;
  has: AppConnection[];
  onClose: () => void;
}

/** A server of the person's own choice, by its address. */
export function McpForm({ claw, has, onClose }: Props) {
  const [address, setAddress] = useState("");
  const [typed, setTyped] = useState<string>();
  const [left, setLeft] = useState({ address: false, name: false });
  const begun = useBegin();
  const problem = begun.error && asProblem(begun.error);
  // Until somebody types another, the name follows the address.
  const name = typed ?? nameFrom(address.trim());
  const wrong = { address: addressMistake(address), name: NAME.test(name) ? undefined : BAD_NAME };
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    setLeft({ address: true, name: true });
    if (wrong.address || wrong.name) return;
    begun.start({ clawId: claw.id, provider: name, authType: "mcp_oauth", issuerUrl: address.trim() });
  };
  return (
    <form onSubmit={submit} noValidate className="flex flex-col gap-3">
      <Field
        label="Address of the MCP server"
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck="false"
        maxLength={2048}
        placeholder="https://mcp.example.org"
        value={address}
        error={(left.address ? wrong.address : undefined) ?? problem?.field("/issuerUrl")}
        hint="The agent's token goes to this server and nowhere else."
        onChange={(event) => {
          setAddress(event.target.value);
          begun.reset();
        }}
        onBlur={() => setLeft((was) => ({ ...was, address: address !== "" }))}
      />
      <Field
        label="Name"
        autoComplete="off"
        spellCheck="false"
        maxLength={63}
        value={name}
        error={(left.name ? wrong.name : undefined) ?? problem?.field("/provider")}
        hint="The name of the server in this workspace."
        onChange={(event) => {
          setTyped(event.target.value);
          begun.reset();
        }}
        onBlur={() => setLeft((was) => ({ ...was, name: name !== "" }))}
      />
      {has.some((one) => one.provider === name) && <Replaces app={name} />}
      {problem && problem.fields.length === 0 && <BeginProblem error={begun.error} mcp />}
      <BeginActions begun={begun} onClose={onClose} />
    </form>
  );
}
