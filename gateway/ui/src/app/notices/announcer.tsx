import { useEffect, useState } from "react";
import { notices, useNotices } from "./store";
import { summary } from "./words";

const APART_MS = 5000;

/** Reads out what is new, politely: a summary, at most one in five seconds, and only in the tab that is looked at. */
export function Announcer() {
  const [text, setText] = useState("");
  useEffect(() => {
    let pause: ReturnType<typeof setTimeout> | undefined;
    const speak = () => {
      if (pause !== undefined || document.visibilityState === "hidden") return;
      const fresh = notices.takeFresh();
      if (fresh.length === 0) return;
      setText(summary(fresh));
      pause = setTimeout(() => {
        pause = undefined;
        speak();
      }, APART_MS);
    };
    const unwatch = useNotices.subscribe(speak);
    document.addEventListener("visibilitychange", speak);
    return () => {
      clearTimeout(pause);
      unwatch();
      document.removeEventListener("visibilitychange", speak);
    };
  }, []);
  return (
    <div role="status" aria-label="News" className="sr-only">
      {text}
    </div>
  );
}
