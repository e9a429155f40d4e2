export const words = {
  welcome: "Welcome to Roost",
  signIn: "Sign in to Roost",
  expired: "Your session has ended. Sign in again to continue where you stopped.",
  firstRun: "This Roost has just been set up. Use the one-time login of its Owner, then choose a password.",
  whereTerminal: "Started in a terminal? The one-time login is shown there.",
  whereService:
    "It is also in the file first-login in Roost's data folder, which only the user that runs Roost can read. It is never written to the log.",
  whereExpires: "It works once, for fifteen minutes. After that, restart Roost to get a new one.",
  passwordRule: "At least 10 characters. A few unrelated words make a good one.",
  noWorkspace: "You belong to no workspace",
  noWorkspaceWhy:
    "Your account exists, but its workspaces were deleted, or you were removed from them. Ask an Owner or Admin for an invitation. Its link lets you in again with the same e-mail and password.",
  noInvitation: "Invalid invitation link. A valid link ends in #rit_ and letters.",
  capsLock: "Caps Lock is on.",
};
export const MIN_PASSWORD = 10;
