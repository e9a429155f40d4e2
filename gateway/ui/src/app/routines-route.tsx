// The pages of routines, in one chunk: they share their words and their drawing of due times.
import { NewRoutinePage as NewRoutine } from "~/domains/routines/new-page";
import { RoutinePage as Routine } from "~/domains/routines/routine-page";
import type { DrawMission } from "~/domains/routines/fields";
import { later } from "~/live/arriving";
import { PartMissing } from "~/ui/part-missing";
import { tab } from "./arriving-tab";

const Mission = later(async () => (await import("./mission-parts")).MissionRecipe, PartMissing);
const mission: DrawMission = (part) => tab("the mission", <Mission {...part} />);

export const NewRoutinePage = () => <NewRoutine mission={mission} />;
export const RoutinePage = () => <Routine mission={mission} />;
