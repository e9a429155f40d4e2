import { useQuery } from "@tanstack/react-query";
import { getRouteApi } from "@tanstack/react-router";
import { Plug, Plus } from "lucide-react";
import { useState } from "react";
import { connectionsOf } from "~/api/apps";
import { useMay } from "~/api/may";
import type { AppConnection, Claw } from "~/api/types";
import { Button } from "~/ui/button";
import { Empty } from "~/ui/empty";
import { MissingRight } from "~/ui/missing-right";
import { Notice } from "~/ui/notice";
import { Failed } from "~/ui/problem";
import { Loading } from "~/ui/skeleton";
import { Stale } from "~/ui/stale";
import { ConnectDialog } from "./connect-dialog";
import { ConnectionList, useShown } from "./connection-list";
import { appName, NAME } from "./words";

const route = getRouteApi("/shell/claws/$id");

/** The app sent the browser back with a refusal. Its name comes from the address, so anybody can have written it. */
function Declined() {
  const { declined } = route.useSearch();
  const navigate = route.useNavigate();
  if (declined === undefined) return null;
  const away = () =>
    void navigate({
      search: ({ app }) => (app === undefined ? {} : { app }),
      replace: true,
    });
  return (
    <Notice tone="warning" action={<Button onClick={away}>Understood</Button>}>
      <span role="status">
        Nothing was connected: the sign-in at {NAME.test(declined) ? appName(declined) : "the app"} was
        refused or cancelled there. To try again, connect the app again.
      </span>
    </Notice>
  );
}

const NONE: AppConnection[] = [];

/** The tab of an agent's page: what it is connected to. */
export function AgentApps({ claw }: { claw: Claw }) {
  const found = useQuery(connectionsOf(claw.id));
  const shown = useShown(found.data ?? NONE, undefined);
  const may = useMay();
  const [open, setOpen] = useState(false);
  const mayConnect = may("apps.connect") && !claw.deleted_at;
  const button = mayConnect && (
    <Button look="primary" icon={<Plus size={14} aria-hidden />} onClick={() => setOpen(true)}>
      Connect an app
    </Button>
  );
  const some = found.data && found.data.length > 0;
  return (
    <div className="flex flex-col gap-4">
      <Declined />
      <Stale query={found} />
      {found.isPending && (
        <Loading what="connections" rows={2} className="rounded-panel border border-line bg-surface" />
      )}
      {found.isError && !found.data && (
        <Failed error={found.error} retry={() => void found.refetch()} className="" />
      )}
      {found.data?.length === 0 && (
        <Empty icon={<Plug size={32} strokeWidth={1.5} aria-hidden />} title="No apps yet" action={button}>
          This agent reaches nothing outside its sandbox. When it is connected to an app, such as a code host,
          it can ask for actions there. A person approves each of them.
        </Empty>
      )}
      {some && <div data-page-actions>{button}</div>}
      {some && <ConnectionList shown={shown} mayConnect={mayConnect} label="Connected apps" />}
      {found.data && !may("apps.connect") && (
        <MissingRight what="connect apps or disconnect them" least="member" />
      )}
      {open && <ConnectDialog claw={claw} has={found.data ?? []} onClose={() => setOpen(false)} />}
    </div>
  );
}
