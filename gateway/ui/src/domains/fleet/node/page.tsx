export function NodePage() {
  return null;
}
