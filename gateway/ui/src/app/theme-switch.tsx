import { Monitor, Moon, Sun } from "lucide-react";
import { IconButton } from "~/ui/button";
import { chooseTheme, useTheme, type ThemeChoice } from "~/ui/theme";

const NEXT: Record<ThemeChoice, ThemeChoice> = { system: "light", light: "dark", dark: "system" };
const LOOK = {
  system: { icon: Monitor, word: "as the system" },
  light: { icon: Sun, word: "light" },
  dark: { icon: Moon, word: "dark" },
};

/** Goes round system, light, dark; the label says what it is and what comes next. */
export function ThemeSwitch() {
  const choice = useTheme((theme) => theme.choice);
  const { icon: Icon, word } = LOOK[choice];
  const next = NEXT[choice];
  return (
    <IconButton label={`Theme: ${word}. Change to ${LOOK[next].word}`} onClick={() => chooseTheme(next)}>
      <Icon size={15} aria-hidden />
    </IconButton>
  );
}
