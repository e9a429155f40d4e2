// The pages of routines, in one chunk: they share their words and their drawing of due times.
export { NewRoutinePage } from "~/domains/routines/new-page";
export { RoutinePage } from "~/domains/routines/routine-page";
export { RoutinesPage } from "~/domains/routines/page";
