import { useEffect, useState } from "react";
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

function Typed({ seen }: { seen: (text: string) => void }) {
  const [text, setText] = useState("");
  useEffect(() => seen(text), [text, seen]);
  return <input value={text} onChange={(event) => setText(event.target.value)} />;
}

it("effects of what was typed run before the next event", async () => {
  const place = document.createElement("div");
  const root = createRoot(place);
  const seen = vi.fn<(text: string) => void>();
  root.render(<Typed seen={seen} />);
  await vi.waitFor(() => expect(seen).toHaveBeenLastCalledWith(""));
  const field = place.querySelector("input");
  if (!field) throw new Error("the field is not there");
  field.value = "a";
  field.dispatchEvent(new Event("input", { bubbles: true }));
  // One turn for the page, one for the effects. The next event is a task, and comes after both.
  await Promise.resolve().then(() => undefined);
  expect(seen).toHaveBeenLastCalledWith("a");
  root.unmount();
});
