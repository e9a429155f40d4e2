// What nobody needs before the page is there: keys and floating layers. Loaded right after the first paint.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { lazy, Suspense, useEffect } from "react";
import { waitingDoorsQuery } from "~/api/doors";
import type { Me } from "~/api/types";
import { useWaiting } from "~/ui/page";
import { close, useLayer } from "./layers";
import { Announcer } from "./notices/announcer";
import { openNotices, useUnread } from "./notices/store";
import { watchNotices } from "./notices/watch";
import { Shortcuts } from "./shortcuts";

const Palette = lazy(() => import("./palette/palette").then((part) => ({ default: part.Palette })));
const NoticePanel = lazy(() => import("./notices/panel").then((part) => ({ default: part.NoticePanel })));
const ShortcutHelp = lazy(() => import("./overlays").then((part) => ({ default: part.ShortcutHelp })));

export function Extras({ me }: { me: Me }) {
  const layer = useLayer((state) => state.layer);
  const client = useQueryClient();
  const { user, workspace } = me;
  useEffect(() => {
    openNotices(user.id, workspace.id);
    return watchNotices(client);
  }, [client, user.id, workspace.id]);
  const unread = useUnread();
  useEffect(() => useLayer.setState({ unread }), [unread]);
  const waiting = useQuery({ ...waitingDoorsQuery, enabled: me.permissions.includes("doors.read") });
  const doors = waiting.data?.length ?? 0;
  useEffect(() => useWaiting.setState({ doors }), [doors]);
  return (
    <>
      <Shortcuts me={me} />
      <Announcer />
      <Suspense>
        {layer === "palette" && <Palette me={me} onClose={close} />}
        {layer === "notifications" && <NoticePanel onClose={close} />}
        {layer === "help" && <ShortcutHelp me={me} onClose={close} />}
      </Suspense>
    </>
  );
}
