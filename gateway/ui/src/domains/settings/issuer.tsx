import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import type { SignInNow } from "~/api/types";
import { QueryView } from "~/ui/query-view";
import { CopyText } from "~/ui/copy";
import { Facts, Panel } from "~/ui/panel";
import { signInQuery } from "./queries";

const MODES: Record<SignInNow["mode"], string> = {
  local: "local accounts only (local)",
  hosted: "an identity service whose tokens name organisations (hosted)",
  oidc: "an OpenID provider (oidc)",
};

const text = (value: string | null | undefined, absent: string): ReactNode =>
  value ? <bdi className="font-mono text-small">{value}</bdi> : <span className="text-fg-3">{absent}</span>;

const facts = (now: SignInNow): [string, ReactNode][] => [
  ["Mode", MODES[now.mode]],
  ["Issuer", text(now.issuer, "–")],
  ["Audience", text(now.audience, "any: every token of the issuer is accepted")],
  ["In a browser", text(now.client_id, "no: only bearer tokens are accepted")],
  [
    "Address to register",
    <CopyText
      key="callback"
      text={`${location.origin}/api/auth/oidc/callback`}
      what="address of the callback"
    />,
  ],
  ["Role by", text(now.role_claim, "–")],
  [
    "Owner by",
    text(
      now.organisation_claim && `${now.organisation_claim}: ${now.organisation_admin.join(", ")}`,
      "no claim of an organisation",
    ),
  ],
  ["Domains that join as Member", text(now.admit_domains.join(", "), "nobody: no domain is listed")],
  ["Workspace of claims", text(now.workspace, "the first one of this deployment")],
  ["Own workspaces", now.per_signup_workspace ? "each new person gets one" : "new people do not get one"],
  ["Session length", now.session_seconds ? `${Math.round(now.session_seconds / 3600)} h in a browser` : "–"],
];

/** What the gateway's configuration says about its issuer; for operators. */
export function IssuerFacts() {
  const now = useQuery(signInQuery);
  return (
    <Panel title="Current configuration">
      <QueryView query={now} what="the configuration of sign-in" rows={5}>
        {(told) => (
          <div className="break-words">
            <Facts items={told.mode === "local" ? facts(told).slice(0, 1) : facts(told)} />
          </div>
        )}
      </QueryView>
    </Panel>
  );
}
