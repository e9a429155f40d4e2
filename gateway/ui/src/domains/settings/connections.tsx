import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { appOptionsQuery } from "~/api/apps";
import { useMay } from "~/api/may";
import type { AppOptions } from "~/api/types";
import { appName } from "~/ui/app-name";
import { QueryView } from "~/ui/query-view";
import { textLink } from "~/ui/class";
import { CopyButton } from "~/ui/copy-button";
import { MissingRight } from "~/ui/missing-right";
import { Panel } from "~/ui/panel";
import { SettingsFrame, type Part } from "./frame";
import { Capability, Missing } from "./capability";
import { mcpMissing } from "./words";

function Callback({ address }: { address: AppOptions["redirect_uri"] }) {
  return (
    <Panel title="Callback address">
      <div className="flex flex-col gap-2 p-4">
        {address ? (
          <>
            <div className="flex flex-wrap items-center gap-3">
              <code className="min-w-0 flex-1 basis-72 font-mono text-small break-all">{address}</code>
              <CopyButton text={address} label="Copy" />
            </div>
            <p className="text-fg-2">
              Register exactly this address with the sign-in service as the redirect address of this gateway.
            </p>
          </>
        ) : (
          <>
            <p className="text-fg-2">
              This gateway does not know its own public address, so no sign-in service can send browsers back.
              Either of the two is enough.
            </p>
            <Missing keys={["oauth.redirect_base", "public_url"]} />
          </>
        )}
      </div>
    </Panel>
  );
}

function Ways({ options }: { options: AppOptions }) {
  const apps = options.providers.map(appName);
  return (
    <Panel title="How agents can be connected">
      <ul>
        <Capability name="By signing in at an app" on={options.oauth} missing={options.missing}>
          A person signs in at the sign-in service of this deployment, and the token is used at the app's API.
        </Capability>
        <Capability
          name="By signing in at an MCP server"
          on={options.mcp_oauth}
          missing={options.mcp_oauth ? [] : mcpMissing(options.missing)}
        >
          The server names its own sign-in service.
        </Capability>
        <Capability
          name="With a pasted token"
          on={apps.length > 0}
          missing={apps.length > 0 ? [] : ["oauth.apis"]}
        >
          At the apps whose API this gateway knows
          {apps.length > 0 && (
            <>
              : <bdi>{apps.join(", ")}</bdi>
            </>
          )}
          . Others are named in <code className="font-mono text-small text-fg">oauth.apis</code>, each with
          the address of its API.
        </Capability>
        <Capability name="To a webhook" on>
          Of any address outside private networks; a private one has to be named in{" "}
          <code className="font-mono text-small text-fg">outbound.allow_private</code>.
        </Capability>
      </ul>
    </Panel>
  );
}

export function ConnectionSettings({ parts }: { parts: Part[] }) {
  const may = useMay()("apps.read");
  const options = useQuery({ ...appOptionsQuery, enabled: may });
  return (
    <SettingsFrame
      parts={parts}
      title="Connections"
      lead="Shows what agents can be connected to, and which settings the gateway's configuration still lacks. It is the same for all workspaces."
    >
      {!may && <MissingRight what="see what can be connected" least="viewer" />}
      {may && (
        <QueryView query={options} what="what can be connected" rows={4}>
          {(found) => (
            <>
              <Callback address={found.redirect_uri} />
              <Ways options={found} />
              <p>
                <Link to="/connections" className={textLink}>
                  All connections of this workspace
                </Link>
              </p>
            </>
          )}
        </QueryView>
      )}
    </SettingsFrame>
  );
}
