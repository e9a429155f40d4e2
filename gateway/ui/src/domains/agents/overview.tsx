import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Claw, Sandbox } from "~/api/types";
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
    <div className="flex flex-col gap-4">
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
      <Details claw={claw} sandbox={sandbox} />
    </div>
  );
}
