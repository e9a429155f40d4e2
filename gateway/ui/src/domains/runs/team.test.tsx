import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act } from "preact/test-utils";
import { createRoot } from "react-dom/client";
import { expect, it, vi } from "vitest";
import { useTeamGone } from "./team";

it("keeps a team as deleted while the page asks for it again", async () => {
  vi.stubGlobal("IS_REACT_ACT_ENVIRONMENT", true);
  const answers = [Promise.resolve(new Response("{}", { status: 404 })), new Promise<Response>(() => {})];
  vi.stubGlobal("fetch", () => answers.shift());
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  function Probe() {
    return useTeamGone({ team_id: "t" }) ? "deleted" : "there";
  }
  const box = document.createElement("div");
  const root = createRoot(box);
  await act(async () =>
    root.render(
      <QueryClientProvider client={client}>
        <Probe />
      </QueryClientProvider>,
    ),
  );
  await act(() => vi.waitFor(() => expect(client.isFetching()).toBe(0)));
  expect(box.textContent).toBe("deleted");
  await act(async () => {
    void client.invalidateQueries();
    await new Promise((done) => setTimeout(done, 20));
  });
  expect(client.isFetching()).toBe(1);
  expect(box.textContent).toBe("deleted");
  await act(async () => root.unmount());
  vi.unstubAllGlobals();
});
