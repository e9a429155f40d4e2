import { lazy, Suspense } from "react";
import { Loading } from "../skeleton";
import { Plain } from "./plain";

/** Where the part that lays out does not arrive, the text can still be read. */
const Document = lazy(() => import("./document").catch(() => ({ default: Plain })));

/** Markdown that somebody else wrote: laid out, with nothing of it run, fetched or hidden. */
export function Markdown({ text, what }: { text: string; what: string }) {
  return (
    <Suspense fallback={<Loading what={what} rows={4} />}>
      <Document text={text} />
    </Suspense>
  );
}
