export function AgentsPage() {
  return null;
}
