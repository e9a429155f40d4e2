export function QuotasPage() {
  return null;
}
