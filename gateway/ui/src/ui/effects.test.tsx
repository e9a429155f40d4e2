import { useEffect } from "react";
import { createRoot } from "react-dom/client";
import { afterEach, expect, it, vi } from "vitest";
import "./effects";

afterEach(() => vi.useRealTimers());

function Once({ run }: { run: () => void }) {
  useEffect(run, [run]);
  return null;
}

it("an effect runs in a tab whose frames and timers stand still", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "requestAnimationFrame"] });
  const root = createRoot(document.createElement("div"));
  const ran = vi.fn<() => void>();
  await new Promise<void>((done) => {
    ran.mockImplementation(done);
    root.render(<Once run={ran} />);
  });
  expect(ran).toHaveBeenCalledOnce();
  root.unmount();
});
