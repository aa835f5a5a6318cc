// Before the first paint: the theme the user chose, so that nothing flashes.
(() => {
  var chosen = null;
  try {
    chosen = JSON.parse(localStorage.getItem("corvo.settings") || "{}").theme;
  } catch (_) {}
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();
