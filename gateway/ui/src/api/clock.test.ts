import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { gatewayNow, hearDate } from "./clock";

const HERE = Date.parse("2026-11-28T12:00:00Z");

beforeEach(() => vi.useFakeTimers({ now: HERE }));
afterEach(() => {
  hearDate(new Date().toUTCString());
  vi.useRealTimers();
});

test.each([3600, -3600])("a clock that is %i s off is corrected to the second", (seconds) => {
  hearDate(new Date(HERE + seconds * 1000).toUTCString());
  expect(Math.abs(gatewayNow() - (HERE + seconds * 1000))).toBeLessThanOrEqual(500);
  vi.advanceTimersByTime(60_000);
  expect(Math.abs(gatewayNow() - (HERE + seconds * 1000 + 60_000))).toBeLessThanOrEqual(500);
});

test.each([new Date(HERE - 2000).toUTCString(), null, "yesterday"])(
  "%s leaves this machine's clock as it is",
  (date) => {
    hearDate(date);
    expect(gatewayNow()).toBe(HERE);
  },
);

test("a clock that was set right counts again", () => {
  hearDate(new Date(HERE + 3_600_000).toUTCString());
  vi.setSystemTime(HERE + 3_600_000);
  hearDate(new Date(HERE + 3_600_000).toUTCString());
  expect(gatewayNow()).toBe(HERE + 3_600_000);
});
