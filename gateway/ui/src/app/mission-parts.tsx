// The steps of a mission, in a chunk of their own: a new mission and a routine have them.
export { NewMissionPage } from "~/domains/missions/new-page";
export { MissionRecipe } from "~/domains/missions/recipe";
