export function OperatorPage() {
  return null;
}
