import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMay } from "~/api/may";
import { meQuery } from "~/api/me";
import { setupQuery } from "~/api/setup";
import type { Setup } from "~/api/types";
import { QueryView } from "~/ui/query-view";
import { Panel } from "~/ui/panel";
import { ReachNote } from "~/ui/reach";
import { SettingsFrame, type Part } from "./frame";
import { IssuerFacts } from "./issuer";
import { Capability } from "./capability";

const link = "rounded-control text-fg underline decoration-line-strong underline-offset-2 hover:text-accent";
const PROVIDER = ["auth.mode", "auth.issuer_url", "auth.client_id"];

const Code = ({ children }: { children: string }) => (
  <code className="font-mono text-small break-all text-fg">{children}</code>
);

function Ways({ hosted }: { hosted: Setup["hosted"] }) {
  const me = useQuery(meQuery);
  return (
    <Panel title="How people sign in">
      <ul>
        <Capability name="With an e-mail address and a password" on>
          The first person uses a one-time login. Everybody else accepts an invitation.
        </Capability>
        <Capability
          name={hosted ? <bdi>{hosted.name}</bdi> : "With an identity provider, in a browser"}
          on={Boolean(hosted)}
          missing={hosted ? [] : PROVIDER}
        >
          {hosted ? (
            <>
              The sign-in page sends people to this identity provider, and trusts its answer.{" "}
              {me.data?.hosted ? "You can sign in with it. " : "Your own account is not linked to it. "}
              <Link to="/account" className={link}>
                Your account
              </Link>
            </>
          ) : (
            <>
              The mode is <Code>oidc</Code>, or <Code>hosted</Code> where the provider's tokens name
              organisations. Redirect address to register there:{" "}
              <Code>&lt;public_url&gt;/api/auth/oidc/callback</Code>.
            </>
          )}
        </Capability>
        <Capability name="From a terminal" on>
          <Code>{`roost login --url ${location.origin}`}</Code> shows a code;{" "}
          <Link to="/device" className={link}>
            confirm it here
          </Link>
          , and the terminal acts in your name.
          <ReachNote text={location.origin} who="Terminals elsewhere" className="mt-2" />
        </Capability>
      </ul>
    </Panel>
  );
}

function WhoCanJoin({ hosted, told }: { hosted: Setup["hosted"]; told: boolean }) {
  const manages = useMay()("members.manage");
  return (
    <Panel title="Who can join">
      <ul>
        <Capability name="Anyone with an invitation" on>
          They get the role that the invitation names.{" "}
          <Link to="/members" className={link}>
            {manages ? "Invite people" : "Members"}
          </Link>
        </Capability>
        <Capability
          name="Anyone from the identity provider"
          on={hosted ? undefined : false}
          keys="Settings in the gateway's configuration:"
          missing={[
            "auth.admit_domains",
            "auth.role_claim",
            "auth.organisation_claim",
            "auth.per_signup_workspace",
          ]}
        >
          Without an invitation, people enter by a verified e-mail of a listed domain, by a role claim, or
          into their own workspace. {hosted && told && "The rules that apply are shown below."}
          {hosted && !told && (
            <>
              Operators see here which of these rules apply. <Code>roost config</Code> shows it too.
            </>
          )}
        </Capability>
      </ul>
    </Panel>
  );
}

export function SignInSettings({ parts }: { parts: Part[] }) {
  const setup = useQuery(setupQuery);
  const operator = useQuery(meQuery).data?.operator === true;
  return (
    <SettingsFrame
      parts={parts}
      title="Sign-in"
      lead="How people sign in to this gateway, and who is let in. It is set in the gateway's configuration, for all workspaces."
    >
      <QueryView query={setup} what="how people sign in" rows={4}>
        {({ hosted }) => (
          <>
            <Ways hosted={hosted} />
            <WhoCanJoin hosted={hosted} told={operator} />
            {operator && <IssuerFacts />}
          </>
        )}
      </QueryView>
    </SettingsFrame>
  );
}
