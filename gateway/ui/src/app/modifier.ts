// The name of the modifier key. The top bar shows it, so it comes with the shell; what keys mean comes later.
const mac = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "");
export const MOD = mac ? "⌘" : "Ctrl";
