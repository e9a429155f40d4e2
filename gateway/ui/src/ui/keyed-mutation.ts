import { useMutation } from "@tanstack/react-query";
import { useRef } from "react";
import { newKey } from "~/api/client";

/**
 * A mutation that sends an idempotency key. The key stays the same until something else is sent, so the gateway does
 * once what a person sends twice.
 */
export function useKeyedMutation<Body, Answer>(send: (body: Body, key: string) => Promise<Answer>) {
  const last = useRef<{ text: string; key: string }>(undefined);
  return useMutation({
    mutationFn: (body: Body) => {
      const text = JSON.stringify(body);
      if (last.current?.text !== text) last.current = { text, key: newKey() };
      return send(body, last.current.key);
    },
  });
}
