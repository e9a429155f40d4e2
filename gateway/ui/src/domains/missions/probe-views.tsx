// The viewers of what probes left, in one chunk: they share their parser.
export { BenchmarkView } from "./benchmark-view";
export { FindingsView } from "./findings-view";
