// xterm makes <style> elements, which the page's policy refuses. While it opens, they become constructed sheets instead.

/** Runs `open`, during which every created `<style>` fills a constructed style sheet that goes away with the element. */
export function withQuietStyles(open: () => void) {
  const original = document.createElement.bind(document);
  const replaced = (tag: string, options?: ElementCreationOptions): HTMLElement => {
    const element = original(tag, options);
    if (tag.toLowerCase() !== "style") return element;
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    Object.defineProperty(element, "textContent", { set: (text: string) => void sheet.replaceSync(text), get: () => "" });
    const remove = element.remove.bind(element);
    element.remove = () => {
      document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
      remove();
    };
    return element;
  };
  document.createElement = replaced as typeof document.createElement;
  try {
    open();
  } finally {
    document.createElement = original as typeof document.createElement;
  }
}
