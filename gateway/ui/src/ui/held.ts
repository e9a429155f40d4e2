// Whether everything on screen is held as it is, because the person has to sign in again first.
import { create } from "zustand";

export const useHeld = create(() => ({ held: false }));
