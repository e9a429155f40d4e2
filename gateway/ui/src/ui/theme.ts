// Light, dark, or as the system says. /theme.js sets the same before the first paint.
import { create } from "zustand";

export type ThemeChoice = "system" | "light" | "dark";
const KEY = "roost-theme";
const light = globalThis.matchMedia?.("(prefers-color-scheme: light)");

function stored(): ThemeChoice {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : "system";
  } catch {
    return "system";
  }
}

export const useTheme = create<{ choice: ThemeChoice }>(() => ({ choice: stored() }));

function show(choice: ThemeChoice) {
  document.documentElement.dataset["theme"] =
    choice === "system" ? (light?.matches ? "light" : "dark") : choice;
}

export function chooseTheme(choice: ThemeChoice) {
  try {
    if (choice === "system") localStorage.removeItem(KEY);
    else localStorage.setItem(KEY, choice);
  } catch {
    // Storage may be switched off; the choice then lasts as long as the page.
  }
  useTheme.setState({ choice });
  show(choice);
}

light?.addEventListener("change", () => show(useTheme.getState().choice));
