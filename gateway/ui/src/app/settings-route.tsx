// The settings of this browser, the workspace and the deployment: each page with the way to the ones beside it.
import { useQuery } from "@tanstack/react-query";
import { meQuery } from "~/api/me";
import { BrokerSettings } from "~/domains/settings/broker";
import { ConnectionSettings } from "~/domains/settings/connections";
import { MeshSettings } from "~/domains/settings/mesh";
import { ModelSettings } from "~/domains/settings/models/page";
import { SettingsPage } from "~/domains/settings/page";
import { SignInSettings } from "~/domains/settings/sign-in";
import { allowed, SETTINGS } from "./places";

function useParts() {
  const me = useQuery(meQuery);
  return me.data ? allowed(SETTINGS, me.data) : [];
}

export const General = () => <SettingsPage parts={useParts()} />;
export const Models = () => <ModelSettings parts={useParts()} />;
export const SignIn = () => <SignInSettings parts={useParts()} />;
export const Connections = () => <ConnectionSettings parts={useParts()} />;
export const Mesh = () => <MeshSettings parts={useParts()} />;
export const Broker = () => <BrokerSettings parts={useParts()} />;
