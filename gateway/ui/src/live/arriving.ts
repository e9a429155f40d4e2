// Parts of the program that come when they are needed. Where one does not arrive, something stands in its place, and it is
// asked for again by itself: soon, then more seldom, and at once when the live stream is back.
import { createElement, lazy, Suspense, useEffect, useState, type ComponentType } from "react";
import { useLink } from "./link";
import { backoff } from "./stream";

type Load<P> = () => Promise<ComponentType<P>>;

let coming = 0;
/** Whether a part of the program is on its way. */
export const areComing = () => coming > 0;

/** How long nothing is said while the part is asked for once more. */
const QUIET_MS = 1000;

/** A loader that never fails: `Missing` is shown until the part is there. */
export function arriving<P extends object>(load: Load<P>, Missing: ComponentType): Load<P> {
  let arrived: ComponentType<P> | undefined;
  function Arriving(props: P) {
    const [part, setPart] = useState<{ is: ComponentType<P> | undefined }>({ is: arrived });
    const [missing, setMissing] = useState(false);
    useEffect(() => {
      if (arrived) return;
      let attempt = 0;
      let timer: ReturnType<typeof setTimeout> | undefined;
      const say = () => setMissing(true);
      const quiet = setTimeout(say, QUIET_MS);
      let left = false;
      const ask = () => {
        clearTimeout(timer);
        load().then(
          (is) => {
            arrived = is;
            setPart({ is });
          },
          () => {
            if (left) return;
            say();
            clearTimeout(timer);
            timer = setTimeout(ask, backoff((attempt += 1), Math.random()));
          },
        );
      };
      ask();
      const unlink = useLink.subscribe((now, was) => {
        if (now.state === "live" && was.state !== "live") ask();
      });
      return () => {
        left = true;
        clearTimeout(quiet);
        clearTimeout(timer);
        unlink();
      };
    }, []);
    if (part.is) return createElement(part.is, props);
    return missing ? createElement(Missing) : null;
  }
  return () => {
    coming += 1;
    return load()
      .catch(() => Arriving)
      .finally(() => (coming -= 1));
  };
}

const Nothing = () => null;

/** A component in a chunk of its own, for `Suspense`. */
export const later = <P extends object>(load: Load<P>, Missing: ComponentType = Nothing) =>
  lazy(() => arriving(load, Missing)().then((part) => ({ default: part })));

/**
 * A part that is drawn at once when it is there already, and otherwise comes later. It stays the one that it was at first:
 * another component in its place would begin anew, and what was typed into it would be gone.
 */
export function first<P extends object>(there: () => ComponentType<P> | undefined, Later: ComponentType<P>) {
  return function First(props: P) {
    const [{ Is }] = useState(() => ({ Is: there() ?? Later }));
    return createElement(Suspense, null, createElement(Is, props));
  };
}
