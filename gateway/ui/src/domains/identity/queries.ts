import { api, url } from "~/api/client";
import type { Login, WaitingTerminal } from "~/api/types";

/** Where the browser goes to sign in by the identity provider. */
export function hostedStart(next?: string): string {
  return url("/api/auth/oidc/start", { next });
}

/** The terminal that shows this code. */
export function lookAtTerminal(code: string): Promise<WaitingTerminal> {
  return api.post("/api/auth/device/look", { body: { code } });
}

export function confirmTerminal(code: string): Promise<void> {
  return api.post("/api/auth/device/confirm", { body: { code } });
}

export type Proof = { one_time: string } | { email: string; password: string };

export function signIn(proof: Proof): Promise<Login> {
  return api.post("/api/auth/login", { body: proof });
}

export function setUp(body: {
  one_time: string;
  name: string;
  email: string;
  password: string;
}): Promise<Login> {
  return api.post("/api/setup", { body });
}

export function setPassword(next: string): Promise<void> {
  return api.post("/api/auth/password", { body: { new: next } });
}
