// The mesh network and its devices, in a real Chromium.
import { axe, choose, hasFocus, shot, tryAgain, until } from "../kit.ts";
import { Refusal } from "../mock/refusal.ts";
import { makeDevice, makeNetwork } from "../mock/routes-mesh.ts";
import { expect, type Mock, test } from "./fixtures.ts";

function connected(mock: Mock) {
  const [box] = mock.state.nodes;
  mock.state.mesh.network = makeNetwork(mock.state);
  mock.state.mesh.devices = [
    makeDevice("phone", "100.64.0.9", { online: false, os: "iOS", last_seen: new Date(0).toISOString() }),
    makeDevice("workshop", "100.64.0.1", { node: { id: box.id, name: box.name } }),
  ];
}

test.describe("mesh", () => {
  test("a network is connected with a key that is never shown again", async ({ visit }) => {
    const { mock, page } = await visit();
    await page.goto(`${mock.url}/mesh`);
    await page.getByText("No mesh network is connected").waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "mesh-empty");
    await page.getByRole("button", { name: "Connect" }).click();
    await page.getByLabel("API key").fill("short");
    await page.keyboard.press("Enter");
    await page.getByText("must be a key of 8 to 1000 characters").waitFor();
    await choose(page.getByLabel("Network", { exact: true }), "headscale");
    await page.getByLabel("Address").fill("https://mesh.example");
    await page.getByLabel("API key").fill("hskey-long-enough");
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "mesh-connect");
    await page.keyboard.press("Enter");
    await page.getByText("The network has no devices").waitFor();
    await page.getByText("https://mesh.example").waitFor();
    expect(mock.state.mesh.lastKey).toBe("hskey-long-enough");
    expect(await page.getByText("hskey-long-enough").count()).toBe(0);
  });

  test("devices are listed with their machines and the network can be disconnected", async ({ visit }) => {
    const { mock, page } = await visit();
    connected(mock);
    for (const [width, name] of [
      [1280, "wide"],
      [360, "phone"],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.goto(`${mock.url}/mesh`);
      await page.getByText("phone", { exact: true }).waitFor();
      expect(await axe(page)).toStrictEqual([]);
      await shot(page, `mesh-${name}`);
    }
    await page.setViewportSize({ width: 1280, height: 800 });
    const first = page.locator("main tbody tr").first();
    expect(await first.textContent()).toMatch(/workshop.*Online.*100\.64\.0\.1/);
    mock.state.mesh.devices.push(makeDevice("tablet", "100.64.0.3"));
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText("tablet", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Disconnect" }).click();
    await hasFocus(page.getByRole("alertdialog").getByRole("button", { name: "Cancel" }));
    expect(await axe(page)).toStrictEqual([]);
    await page.getByRole("alertdialog").getByRole("button", { name: "Disconnect" }).click();
    await page.getByText("No mesh network is connected").waitFor();
  });

  test("the page handles loading, a refused key, old figures, a change elsewhere and viewers", async ({
    visit,
  }) => {
    const { mock, page } = await visit();
    connected(mock);
    const path = "GET /api/fleet/meshvpn/devices";
    const answer = mock.hold(path);
    await page.goto(`${mock.url}/mesh`);
    await page.getByText("Loading devices").waitFor({ state: "attached" });
    mock.state.failNext.set(
      path,
      new Refusal(409, "remote-refused", "The other service refuses", {
        detail: "Tailscale does not take the API key (401): it is wrong, expired or revoked.",
      }),
    );
    answer();
    await page.goto(`${mock.url}/mesh`);
    await page.getByText("Tailscale does not take the API key").waitFor();
    await page.getByText(/^req-\d+$/).waitFor();
    expect(await axe(page)).toStrictEqual([]);
    await shot(page, "mesh-refused");
    await tryAgain(page, mock);
    await page.getByText("workshop", { exact: true }).first().waitFor();

    mock.state.failNext.set(
      path,
      new Refusal(503, "remote-unavailable", "The other service does not answer"),
    );
    await page.getByRole("button", { name: "Refresh" }).click();
    await page.getByText(/does not answer\. What you see is from/).waitFor();
    await tryAgain(page, mock);
    await until("the note to go", async () => (await page.getByText("What you see is from").count()) === 0);

    mock.state.mesh.network = null;
    mock.hub.changed("mesh_network", "any", 2);
    await page.getByText("No mesh network is connected").waitFor();
    mock.state.role = "viewer";
    await page.goto(`${mock.url}/mesh`);
    await page.getByText(/You may not connect or disconnect a mesh network/).waitFor();
    expect(await page.getByRole("button", { name: "Connect" }).count()).toBe(0);
  });
});
