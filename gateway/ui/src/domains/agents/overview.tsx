import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Claw, Sandbox } from "~/api/types";
import { FoldedText } from "~/ui/folded-text";
import { Panel } from "~/ui/panel";
import { Details } from "./details";

interface Props {
  claw: Claw;
  sandbox: Sandbox | undefined;
  /** What happened last. */
  latest: ReactNode;
}

/** The agent at a glance: what it is, and what happened last. */
export function Overview({ claw, sandbox, latest }: Props) {
  return (
    <div className="grid min-w-0 items-start gap-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
      <div className="flex min-w-0 flex-col gap-4">
        <Panel
          title="Recent activity"
          aside={
            <Link
              to="/claws/$id"
              params={{ id: claw.id }}
              search={{ app: "activity" }}
              className="rounded-control text-fg-2 hover:text-accent hover:underline"
            >
              All activity
            </Link>
          }
        >
          {latest}
        </Panel>
        <Panel title="Instructions">
          <div className="px-4 py-3">
            {claw.system_prompt ? (
              <FoldedText text={claw.system_prompt} what="the instructions" />
            ) : (
              <p className="text-fg-3">None given.</p>
            )}
          </div>
        </Panel>
      </div>
      <Details claw={claw} sandbox={sandbox} />
    </div>
  );
}
