/** A state's name as a word on the page: `backing_off` becomes `Backing off`. */
export function sentence(name: string): string {
  const words = name.replaceAll(/[_-]/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}
