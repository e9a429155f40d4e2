/** In the place of a part of a page that did not arrive. It goes by itself when the part does. */
export const PartMissing = () => (
  <p role="status" className="p-4 text-fg-2">
    This part could not be loaded. Roost keeps trying.
  </p>
);
