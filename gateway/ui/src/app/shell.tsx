import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useRouter } from "@tanstack/react-router";
import { Suspense, useEffect, useMemo } from "react";
import { meQuery } from "~/api/me";
import { asProblem } from "~/api/problem";
import { later } from "~/live/arriving";
import { useLiveEvents } from "~/live/provider";
import { onTold } from "~/live/tabs";
import { FrameContext, useDrawer } from "~/ui/page";
import { Failed } from "~/ui/problem";
import { PageMissing } from "./lost-pages";
import { Rail } from "./rail";
import { frameParts } from "./top-tools";
import { enterWorkspace } from "./workspace";

const OutsidePage = later(async () => (await import("~/domains/identity/page")).OutsidePage, PageMissing);
const Extras = later(async () => (await import("./extras")).Extras);
const RailDrawer = later(async () => (await import("./overlays")).RailDrawer);

const AWAY_MS = 3000;
const isAway = (error: unknown) => {
  const { status } = asProblem(error);
  return error !== null && (status === 0 || status >= 502);
};

/** Goes where something has to be done first, once, and remembers the address to come back to. */
function Leave({ to }: { to: "/sign-in" | "/set-password" }) {
  const router = useRouter();
  useEffect(() => {
    const { pathname, href } = router.state.location;
    if (pathname !== to)
      void router.navigate({ to, search: pathname === "/" ? {} : { next: href }, replace: true });
  }, [router, to]);
  return null;
}

/** Everything behind the sign-in: rail, live stream, current page. */
export function Shell() {
  // Without a person there is no stream that would say when the gateway is back.
  const me = useQuery({ ...meQuery, refetchInterval: ({ state }) => isAway(state.error) && AWAY_MS });
  const client = useQueryClient();
  const router = useRouter();
  const drawer = useDrawer((state) => state.open);
  const ready = me.data && !me.data.must_set_password ? me.data : undefined;
  useLiveEvents(ready?.user.id, ready?.workspace.id);
  // Another tab went to another workspace, and the sign-in with it.
  useEffect(
    () => onTold(() => void enterWorkspace(client, () => router.navigate({ to: "/" }))),
    [client, router],
  );
  const frame = useMemo(() => (ready ? frameParts(ready) : {}), [ready]);

  if (me.isPending)
    return (
      <p role="status" className="sr-only">
        Loading Roost
      </p>
    );
  if (!me.data) {
    const { status } = asProblem(me.error);
    if (status === 401) return <Leave to="/sign-in" />;
    // Asking who one is needs no right: refused is only somebody who belongs nowhere.
    if (status === 403)
      return (
        <Suspense>
          <OutsidePage />
        </Suspense>
      );
    return (
      <main className="mx-auto mt-[15vh] max-w-xl px-4">
        <h1 className="mb-4 text-head-1">Roost</h1>
        <Failed error={me.error} retry={() => void me.refetch()} className="" />
      </main>
    );
  }
  if (me.data.must_set_password) return <Leave to="/set-password" />;
  return (
    <FrameContext value={frame}>
      <div className="flex min-h-dvh">
        <a
          href="#main"
          className="sr-only rounded-control bg-raised px-3 py-2 focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50"
        >
          Skip to content
        </a>
        <Rail me={me.data} className="sticky top-0 h-dvh shrink-0 max-rail:hidden" />
        <Outlet />
        <Suspense>
          {drawer && <RailDrawer me={me.data} />}
          <Extras me={me.data} />
        </Suspense>
      </div>
    </FrameContext>
  );
}
