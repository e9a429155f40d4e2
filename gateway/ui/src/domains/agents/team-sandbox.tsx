import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Box } from "lucide-react";
import { clawsQuery } from "~/api/claws";
import { buttonClass } from "~/ui/button";
import { textLink } from "~/ui/class";
import { visible } from "~/ui/visible";

/** The name of another agent, as far as it is known. */
function useName(id: string): string {
  const agents = useQuery(clawsQuery);
  const name = agents.data?.find((claw) => claw.id === id)?.name;
  return name ? visible(name).slice(0, 100) : "another agent";
}

const to = (id: string) => ({ to: "/claws/$id", params: { id }, search: { app: "sandbox" } }) as const;

/** In the place of a sandbox: the agent works in the one that its team shares. */
export function TeamSandbox({ owner }: { owner: string }) {
  const name = useName(owner);
  return (
    <div className="flex gap-4 rounded-panel border border-line bg-surface p-5">
      <Box size={28} strokeWidth={1.5} aria-hidden className="mt-0.5 shrink-0 text-fg-3 max-sm:hidden" />
      <div className="min-w-0">
        <h2 className="text-head-2">This agent works in its team's sandbox</h2>
        <p className="max-w-[64ch] break-words text-fg-2">
          The team shares the sandbox of <bdi>{name}</bdi>. This agent needs no sandbox of its own.
        </p>
        <Link {...to(owner)} className={`${buttonClass("primary")} mt-4 max-w-full`}>
          <span className="truncate">
            Open the sandbox of <bdi>{name}</bdi>
          </span>
        </Link>
      </div>
    </div>
  );
}

/** Beside a sandbox of its own, which its team does not use. */
export function TeamSandboxNote({ owner }: { owner: string }) {
  const name = useName(owner);
  return (
    <p className="break-words text-fg-2">
      In its team, this agent works in the{" "}
      <Link {...to(owner)} className={textLink}>
        sandbox of <bdi>{name}</bdi>
      </Link>
      .
    </p>
  );
}

/** Beside an empty history of files: the team's files are those of another agent. */
export function TeamFiles({ owner }: { owner: string }) {
  const name = useName(owner);
  return (
    <p className="px-4 pt-4 break-words text-fg-2">
      This agent works in its team's sandbox. Its files are{" "}
      <Link to="/claws/$id" params={{ id: owner }} search={{ app: "files" }} className={textLink}>
        those of <bdi>{name}</bdi>
      </Link>
      .
    </p>
  );
}
