/* The theme: the system's, or the reader's choice. A classic script in the head, so that no page flashes. */
(() => {
  "use strict";
  const THEMES = ["system", "light", "dark"];
  const SIGNS = { system: "◐", light: "○", dark: "●" };
  const KEY = "moot.theme";
  let theme = "system";
  try {
    theme = localStorage.getItem(KEY) ?? theme;
  } catch {
    // This browser stores nothing.
  }

  function apply(button) {
    if (!THEMES.includes(theme)) theme = "system";
    document.documentElement.toggleAttribute("data-theme", theme !== "system");
    if (theme !== "system") document.documentElement.setAttribute("data-theme", theme);
    if (!button) return;
    button.textContent = SIGNS[theme];
    button.setAttribute("aria-label", `Theme: ${theme}`);
    button.title = `Theme: ${theme}`;
  }

  apply(null);
  document.addEventListener("DOMContentLoaded", () => {
    const button = document.querySelector("[data-theme-button]");
    if (!button) return;
    apply(button);
    button.addEventListener("click", () => {
      theme = THEMES[(THEMES.indexOf(theme) + 1) % THEMES.length];
      try {
        localStorage.setItem(KEY, theme);
      } catch {
        // The choice holds for this page.
      }
      apply(button);
    });
  });
})();
