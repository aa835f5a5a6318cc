// Before the first paint: the theme the user chose, so that nothing flashes.
(() => {
  var chosen = null;
  try {
    chosen = JSON.parse(localStorage.getItem("corvo.settings") || "{}").theme;
  } catch (_) {}
  var dark = chosen === "dark" || (chosen !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.classList.toggle("dark", dark);
})();

// If a file of the page does not arrive (a network that changes, a node that restarts just then) there would be
// nothing to look at, and nobody to try again. Later on the page itself sees to that.
(() => {
  var TRIES = "corvo.boot-tries";
  var waiting = false;
  addEventListener(
    "error",
    (event) => {
      var file = event.target;
      var root = document.getElementById("root");
      var needed =
        file instanceof HTMLScriptElement || (file instanceof HTMLLinkElement && file.rel === "stylesheet");
      if (!needed || waiting || root?.childElementCount) return;
      waiting = true;
      var tries = Number(sessionStorage.getItem(TRIES) || 0);
      sessionStorage.setItem(TRIES, String(tries + 1));
      if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", say);
      else say();
      if (tries < 5) setTimeout(() => location.reload(), 500 * 2 ** tries);

      function say() {
        var words = document.createElement("p");
        words.setAttribute("role", "alert");
        words.textContent =
          tries < 5
            ? "A part of this page did not arrive. Trying again…"
            : "A part of this page did not arrive. Is the node running? Reload to try again.";
        document.body.prepend(words);
      }
    },
    true,
  );
  addEventListener("load", () => {
    if (!waiting) sessionStorage.removeItem(TRIES);
  });
})();
