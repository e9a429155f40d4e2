// What nobody needs before the page is there: keys, floating layers and messages. Loaded right after the first paint.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { Suspense, useEffect } from "react";
import { waitingDoorsQuery } from "~/api/doors";
import type { Me } from "~/api/types";
import { later } from "~/live/arriving";
import { watchSamples } from "~/live/samples";
import { dialogsReady } from "~/ui/dialog";
import { useHeld } from "~/ui/held";
import { useWaiting } from "~/ui/page";
import { close, useLayer } from "./layers";
import { LinkBanner } from "./link-banner";
import { Announcer } from "./notices/announcer";
import { tellBrowser } from "./notices/browser";
import { TARGET } from "./notices/words";
import { openNotices, useUnread } from "./notices/store";
import { watchNotices } from "./notices/watch";
import { Shortcuts } from "./shortcuts";
import { VersionNotice } from "./version-notice";

/** A layer that does not arrive is closed: nobody wants it to open by itself minutes later. */
function Closed() {
  useEffect(close, []);
  return null;
}

const Palette = later(async () => (await import("./going")).Palette, Closed);
const NoticePanel = later(async () => (await import("./notices/panel")).NoticePanel, Closed);
const SignInAgain = later(async () => (await import("~/domains/identity/page")).SignInAgain);
const ShortcutHelp = later(async () => (await import("./overlays")).ShortcutHelp, Closed);

export { NotFound } from "./not-found";

export function Extras({ me }: { me: Me }) {
  const layer = useLayer((state) => state.layer);
  const held = useHeld((state) => state.held);
  const client = useQueryClient();
  const { user, workspace } = me;
  const readsMissions = me.permissions.includes("missions.read");
  useEffect(() => {
    openNotices(user.id, workspace.id);
    return watchNotices(client, user.id, readsMissions);
  }, [client, user.id, workspace.id, readsMissions]);
  useEffect(() => {
    // Safari has no idle callback.
    (globalThis.requestIdleCallback ?? setTimeout)(dialogsReady);
  }, []);
  useEffect(() => watchSamples(client), [client]);
  const router = useRouter();
  useEffect(
    () =>
      tellBrowser(({ thing }) => {
        if (thing) void router.navigate({ to: TARGET[thing.kind], params: { id: thing.id } });
      }),
    [router],
  );
  const unread = useUnread();
  useEffect(() => useLayer.setState({ unread }), [unread]);
  const waiting = useQuery({ ...waitingDoorsQuery, enabled: me.permissions.includes("doors.read") });
  const doors = waiting.data?.length ?? 0;
  useEffect(() => useWaiting.setState({ doors }), [doors]);
  return (
    <>
      <Shortcuts me={me} />
      <Announcer />
      <LinkBanner />
      <VersionNotice />
      <Suspense>
        {held && <SignInAgain me={me} />}
        {layer === "palette" && <Palette me={me} onClose={close} />}
        {layer === "notifications" && <NoticePanel onClose={close} />}
        {layer === "help" && <ShortcutHelp me={me} onClose={close} />}
      </Suspense>
    </>
  );
}
