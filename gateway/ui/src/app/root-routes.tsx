// The root of all pages, those that are there before somebody is signed in, and the shell of all others.
import { createRootRoute, createRoute, Outlet } from "@tanstack/react-router";
import { given, page, safeNext } from "./route-kit";
import { Shell } from "./shell";

export const root = createRootRoute({ component: Outlet });

export const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  validateSearch: (search) => given({ next: safeNext(search["next"]) }),
  component: page(() => import("~/domains/identity/page"), "SignInPage"),
});
export const setPassword = createRoute({
  getParentRoute: () => root,
  path: "/set-password",
  validateSearch: (search) => given({ next: safeNext(search["next"]) }),
  component: page(() => import("~/domains/identity/page"), "SetPasswordPage"),
});
export const invitation = createRoute({
  getParentRoute: () => root,
  path: "/invitation",
  component: page(() => import("~/domains/identity/invitation"), "InvitationPage"),
});
export const confirmAddress = createRoute({
  getParentRoute: () => root,
  path: "/confirm-address",
  component: page(() => import("~/domains/identity/page"), "ConfirmAddressPage"),
});
export const terminal = createRoute({
  getParentRoute: () => root,
  path: "/device",
  component: page(() => import("~/domains/identity/terminal"), "TerminalPage"),
});

export const shell = createRoute({
  getParentRoute: () => root,
  id: "shell",
  component: Shell,
});
/** Every address that no page has. Below the shell, so that the navigation stays beside what it says. */
export const lost = createRoute({
  getParentRoute: () => shell,
  path: "$",
  component: page(() => import("./extras"), "NotFound"),
});
