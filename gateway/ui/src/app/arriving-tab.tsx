import { Suspense, type ReactNode } from "react";
import { Loading } from "~/ui/skeleton";

/** A tab that another domain draws, and that may still be on its way. */
export const tab = (what: string, part: ReactNode) => (
  <Suspense fallback={<Loading what={what} rows={2} />}>{part}</Suspense>
);
