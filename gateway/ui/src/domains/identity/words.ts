export const words = {
  welcome: "Welcome to Roost",
  signIn: "Sign in to Roost",
  expired: "Your session has ended. Sign in again to go on where you were.",
  firstRun: "This Roost has just been set up. Use the one-time login of its Owner, then choose a password.",
  whereTerminal: "Started in a terminal? The one-time login is shown there.",
  whereService:
    "It also waits in the file first-login in Roost's data folder, which only the user that runs Roost can read. It is never written to the log.",
  whereExpires:
    "It works once, for fifteen minutes. When it has run out, start Roost again and it makes a new one.",
  passwordRule: "At least 10 characters. A few unrelated words make a good one.",
  noWorkspace: "You belong to no workspace",
  noWorkspaceWhy:
    "Your account is there, but the workspaces that it belonged to were deleted, or somebody took you out of them. Ask an Owner or Admin for an invitation; its link lets you in again with the same e-mail and password.",
  noInvitation: "This is no invitation: its link ends in #rit_ and letters.",
  capsLock: "Caps Lock is on.",
};
export const MIN_PASSWORD = 10;
