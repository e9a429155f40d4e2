// The seats of a topology in words. A topology without seats, such as a pipeline, ignores them.

const SEATS: Record<string, { name: string; says: string }> = {
  hub: {
    name: "Hub",
    says: "In Hub and spoke, it gives each of the others a part and merges their results. In Router, it only merges.",
  },
  gate: { name: "Gate", says: "In Router, it scores the experts, and the best ones answer." },
  expert: { name: "Expert", says: "In Router, it answers when the gate chooses it." },
  spoke: { name: "Spoke", says: "In Hub and spoke, it does the part that the hub gives it." },
  lead: {
    name: "Lead",
    says: "In Hierarchy, it gives work to the roles that follow it and receives their reports.",
  },
  member: { name: "Member", says: "In Hierarchy, it does the work that its lead gives it and reports back." },
};

export const SEAT_NAMES = Object.entries(SEATS).map(([value, { name, says }]) => ({
  value,
  label: name,
  says,
}));
export const seatName = (seat: string) => SEATS[seat]?.name ?? seat;

/** What a role does in its seat. */
export const seatSays = (seat: string | null | undefined) =>
  seat ? SEATS[seat]?.says : "The way of working together gives this role its seat.";
