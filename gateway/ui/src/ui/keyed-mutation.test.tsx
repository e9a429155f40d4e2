import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "preact/test-utils";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { useKeyedMutation } from "./keyed-mutation";

it("keeps its key while the same body is sent, and takes a new one for another body", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const keys: string[] = [];
  const note = (_: string, key: string) => Promise.resolve(keys.push(key));
  function Probe() {
    const { mutate } = useKeyedMutation(note);
    return ["a", "b"].map((body) => (
      <button key={body} onClick={() => mutate(body)}>
        {body}
      </button>
    ));
  }
  const box = document.body.appendChild(document.createElement("div"));
  const root = createRoot(box);
  await act(async () =>
    root.render(
      <QueryClientProvider client={new QueryClient()}>
        <Probe />
      </QueryClientProvider>,
    ),
  );
  const [a, b] = box.querySelectorAll("button");
  for (const button of [a, a, b]) await act(async () => button?.click());
  expect(keys).toHaveLength(3);
  expect(keys[1]).toBe(keys[0]);
  expect(keys[2]).not.toBe(keys[0]);
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});
