"use strict";

// Light and dark: the system's choice until the button is used. A page opened from a file may have no storage.
const root = document.documentElement;
const themeButton = document.getElementById("theme");
const systemDark = matchMedia("(prefers-color-scheme: dark)");

function remembered(theme) {
  try {
    if (theme !== undefined) localStorage.setItem("wsim-theme", theme);
    return localStorage.getItem("wsim-theme");
  } catch {
    return null;
  }
}

function isDark() {
  return (root.dataset.theme ?? (systemDark.matches ? "dark" : "light")) === "dark";
}

function showTheme() {
  themeButton.textContent = isDark() ? "Light" : "Dark";
  themeButton.setAttribute("aria-label", isDark() ? "Switch to light" : "Switch to dark");
}

if (remembered()) root.dataset.theme = remembered();
themeButton.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  remembered(root.dataset.theme);
  showTheme();
});
systemDark.addEventListener("change", showTheme);
showTheme();
