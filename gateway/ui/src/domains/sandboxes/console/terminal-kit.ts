// All that needs the terminal library, in one part: a page that reads an output has what a shell needs, too.
export { Screen } from "./screen";
export { ShellTerminal } from "./terminal";
