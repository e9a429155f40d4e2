import { useMutation } from "@tanstack/react-query";
import { useEffect } from "react";
import { begin } from "./queries";

/** Begins a sign-in and goes there with this tab; the app's page sends the browser back. */
export function useBegin() {
  const { reset, ...asked } = useMutation({
    mutationFn: begin,
    onSuccess: (to) => location.assign(to),
  });
  useEffect(() => {
    // The back button brings this page as it was left, on its way to somewhere else.
    const back = (event: PageTransitionEvent) => event.persisted && reset();
    globalThis.addEventListener("pageshow", back);
    return () => globalThis.removeEventListener("pageshow", back);
  }, [reset]);
  return {
    start: asked.mutate,
    reset,
    /** Until the browser has gone. */
    busy: asked.isPending || asked.isSuccess,
    /** Where it goes. */
    to: asked.data?.host,
    error: asked.isError ? asked.error : undefined,
  };
}
