import { Link } from "@tanstack/react-router";
import { useState, type ReactNode } from "react";
import { SCRIPTED } from "~/api/models";
import { textLink } from "~/ui/class";
import { Demonstration } from "~/ui/demonstration";
import { Facts, Panel } from "~/ui/panel";
import { limitWords } from "~/ui/limits";
import { ImageWords } from "~/ui/sandbox-choice";
import { Status } from "~/ui/status";
import { bundleName, profileName, profileSays } from "~/ui/template-words";
import { visible } from "~/ui/visible";
import type { RuntimeConfig } from "./queries";
import { modelWhy, rightWhy } from "./words";

function Because({ children }: { children: ReactNode }) {
  return <span className="block text-small text-fg-3">{children}</span>;
}

function Model({ now }: { now: RuntimeConfig }) {
  return (
    <>
      {now.model ? (
        <bdi className="font-mono text-small break-all">{visible(now.model)}</bdi>
      ) : (
        <Status
          tone="failed"
          word={`no such model: ${visible(now.model_binding ?? "")}`}
          className="break-all whitespace-normal"
        />
      )}{" "}
      {now.model === SCRIPTED && <Demonstration />}
      <Because>{modelWhy(now)}</Because>
    </>
  );
}

/** Each tool that a step of it may call. */
function Tools({ tools }: { tools: RuntimeConfig["tools"] }) {
  const [open, setOpen] = useState(false);
  if (tools.length === 0) return <p className="border-t border-line px-4 py-3 text-fg-2">No tools.</p>;
  return (
    <details
      className="border-t border-line px-4 py-2"
      onToggle={(event) => setOpen(event.currentTarget.open)}
    >
      <summary className="min-h-6 cursor-pointer rounded-control">
        {tools.length} available {tools.length === 1 ? "tool" : "tools"}
      </summary>
      {open && (
        <ul className="mt-2 flex flex-col gap-2">
          {tools.map((tool) => (
            <li key={`${tool.bundle}/${tool.name}`} className="min-w-0">
              <bdi className="font-mono text-small font-[550] break-all">{visible(tool.name)}</bdi>{" "}
              <span className="text-small text-fg-3">
                {bundleName(tool.bundle)}
                {tool.reads_only && ", read-only"}
              </span>
              <p className="break-words text-fg-2">{visible(tool.description)}</p>
            </li>
          ))}
        </ul>
      )}
    </details>
  );
}

/** What counts when it works, and why; beside it what the agent has of its own. */
export function Config({ now }: { now: RuntimeConfig }) {
  const bundles = (all: readonly string[]) => all.map(bundleName).join(", ") || "nothing";
  return (
    <Panel
      title="Configuration"
      aside={now.runtime === "built_in" ? "runs in the gateway" : visible(now.runtime)}
    >
      <Facts
        items={[
          ["Model", <Model key="model" now={now} />],
          [
            "Permissions",
            <span key="permissions">
              {profileName(now.effective_profile)}. {profileSays(now.effective_profile)}
              <Because>{rightWhy(now)}</Because>
            </span>,
          ],
          ["Image", <ImageWords key="image" image={now.effective_image} />],
          ["Limits", limitWords(now.effective_limits)],
          ["Tool sets", bundles(now.effective_bundles)],
          ...(now.team_id
            ? [
                [
                  "Team",
                  <Link key="team" to="/teams/$id" params={{ id: now.team_id }} className={textLink}>
                    Open the team
                  </Link>,
                ] as [string, ReactNode],
              ]
            : []),
          ...(now.template_id
            ? [
                [
                  "Template",
                  <span key="template">
                    <Link to="/templates/$id" params={{ id: now.template_id }} className={textLink}>
                      version {now.template_version}
                    </Link>
                    {now.role_slot && (
                      <>
                        , as <bdi>{visible(now.role_slot)}</bdi>
                      </>
                    )}
                  </span>,
                ] as [string, ReactNode],
              ]
            : []),
          ...(now.sandbox_team_id
            ? [
                [
                  "Works in",
                  <Link
                    key="bench"
                    to="/teams/$id"
                    params={{ id: now.sandbox_team_id }}
                    search={{ tab: "sandbox" }}
                    className={textLink}
                  >
                    its team's shared sandbox
                  </Link>,
                ] as [string, ReactNode],
              ]
            : []),
          [
            "Own permissions",
            <span key="record">
              {profileName(now.record_profile)}; {bundles(now.record_bundles)}
              <Because>
                Its team and its template can add to these. The gateway checks every tool call.
              </Because>
            </span>,
          ],
        ]}
      />
      <Tools tools={now.tools} />
    </Panel>
  );
}
