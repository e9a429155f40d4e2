// xterm makes <style> elements, which the page's policy refuses. While it opens, they become constructed sheets instead.

/** Runs `open`, during which every created `<style>` fills a constructed style sheet that goes away with the element. */
export function withQuietStyles(open: () => void) {
  const original = document.createElement.bind(document);
  const replaced = (tag: string, options?: ElementCreationOptions): HTMLElement => {
    if (tag.toLowerCase() !== "style") return original(tag, options);
    // Even an empty <style> is refused, so something that draws nothing stands in its place.
    const element = original("template");
    const sheet = new CSSStyleSheet();
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
    Object.defineProperty(element, "textContent", {
      get: () => "",
      set(text: string) {
        sheet.replaceSync(text);
      },
    });
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
