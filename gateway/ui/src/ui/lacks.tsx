import type { components } from "~/api/schema";
import { visible } from "./visible";

export type Lack = components["schemas"]["SandboxLack"];

/** A sentence of the gateway, with its commands between backticks as code. */
export const Sentence = ({ text }: { text: string }) =>
  text.split("`").map((part, at) =>
    at % 2 === 1 ? (
      <code key={at} className="font-mono text-small break-words">
        {visible(part)}
      </code>
    ) : (
      <span key={at}>{visible(part)}</span>
    ),
  );

/** What is missing for the sandboxes of a team, and what to do about each. */
export function Lacks({ lacks }: { lacks: readonly Lack[] }) {
  return (
    <ul className="flex list-disc flex-col gap-1 pl-5">
      {lacks.map(({ what, detail, remedy }) => (
        <li key={what} className="break-words">
          <Sentence text={detail} />{" "}
          <span className="text-fg-2">
            <Sentence text={remedy} />
          </span>
        </li>
      ))}
    </ul>
  );
}
