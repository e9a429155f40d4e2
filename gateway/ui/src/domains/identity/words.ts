export const words = {
  welcome: "Welcome to Roost",
  signIn: "Sign in to Roost",
  expired: "Your session has ended. Sign in again to continue where you stopped.",
  firstRun:
    "Say who you are. You become the Owner of this Roost, and sign in with this e-mail and password from now on.",
  signingIn: "Signing in with the one-time login",
  oneTimeRefused: "The one-time login of this address does not work any more.",
  whereTerminal: "Started in a terminal? The address there has it behind #. Open that address.",
  whereService:
    "It is also in the file first-login in Roost's data folder, which only the user that runs Roost can read. It is never written to the log.",
  whereExpires: "It works once, for fifteen minutes. After that, restart Roost to get a new one.",
  passwordRule: "At least 10 characters. A few words make a good one.",
  noWorkspace: "You belong to no workspace",
  noWorkspaceWhy:
    "Your account exists, but its workspaces were deleted, or you were removed from them. Ask an Owner or Admin for an invitation. Its link lets you in again with the same e-mail and password.",
  noInvitation: "Invalid invitation link. A valid link ends in #rit_ and letters.",
  capsLock: "Caps Lock is on.",
};
export const MIN_PASSWORD = 10;
