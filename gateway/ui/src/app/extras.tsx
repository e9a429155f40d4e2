// What nobody needs before the page is there: keys and floating layers. Loaded right after the first paint.
import { lazy, Suspense } from "react";
import type { Me } from "~/api/types";
import { close, useLayer } from "./layers";
import { Shortcuts } from "./shortcuts";

const Palette = lazy(() => import("./palette/palette").then((part) => ({ default: part.Palette })));
const ShortcutHelp = lazy(() => import("./overlays").then((part) => ({ default: part.ShortcutHelp })));

export function Extras({ me }: { me: Me }) {
  const layer = useLayer((state) => state.layer);
  return (
    <>
      <Shortcuts me={me} />
      <Suspense>
        {layer === "palette" && <Palette me={me} onClose={close} />}
        {layer === "help" && <ShortcutHelp me={me} onClose={close} />}
      </Suspense>
    </>
  );
}
