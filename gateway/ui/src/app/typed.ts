// Whether somebody has typed into a form since this page was opened. Then a session that ends must not take the page away.
let typed = false;

document.addEventListener(
  "input",
  ({ target }) => {
    if (target instanceof Element && target.closest("form, textarea, [role=dialog], [role=alertdialog]"))
      typed = true;
  },
  true,
);

export const hasTyped = () => typed;
export const forgetTyped = () => {
  typed = false;
};
