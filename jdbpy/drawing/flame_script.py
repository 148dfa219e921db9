"""The script of a flame graph: zoom by clicking, search by typing. It loads nothing and stores nothing."""

SCRIPT = r"""
(function () {
  "use strict";
  var root = document.currentScript ? document.currentScript.closest("svg") : document.documentElement;
  var frames = Array.prototype.slice.call(root.querySelectorAll("g.f"));
  var width = Number(root.dataset.width), letter = Number(root.dataset.letter);
  var state = root.querySelector(".state"), box = root.querySelector(".search"), back = root.querySelector(".back");
  var all = { x: 0, w: width };

  frames.forEach(function (g) {
    g.at = { x: Number(g.dataset.x), w: Number(g.dataset.w), y: Number(g.dataset.y) };
    g.name = g.dataset.n;
    g.shape = g.querySelector("rect");
    g.words = g.querySelector("text");
  });

  function fitted(name, room) {
    if (name.length <= room) { return name; }
    var short = name.charAt(0) === "[" ? name : name.split(".").slice(-2).join(".");
    if (short.length <= room) { return short; }
    return room >= 4 ? short.slice(0, room - 1) + "…" : "";
  }

  function zoom(to, level) {
    var scale = width / to.w, most = to.x + to.w;
    frames.forEach(function (g) {
      var left = Math.max(g.at.x, to.x), right = Math.min(g.at.x + g.at.w, most);
      var above = g.at.y < level;
      if (right - left <= 1e-6 || (right - left) * scale < 0.3) { g.style.display = "none"; return; }
      g.style.display = "";
      g.classList.toggle("above", above && to !== all);
      var x = (left - to.x) * scale, w = (right - left) * scale;
      g.shape.setAttribute("x", x);
      g.shape.setAttribute("width", Math.max(0.3, w - 0.6));
      if (g.words) {
        g.words.setAttribute("x", x + 3);
        g.words.textContent = fitted(g.name, Math.floor((w - 6) / letter));
      }
    });
    back.style.display = to === all ? "none" : "";
  }

  function search(wanted) {
    var found = [], lower = wanted.toLowerCase();
    frames.forEach(function (g) {
      var hit = wanted !== "" && g.name.toLowerCase().indexOf(lower) >= 0;
      g.classList.toggle("found", hit);
      if (hit) { found.push(g.at); }
    });
    if (wanted === "") { state.textContent = ""; return; }
    found.sort(function (one, other) { return one.x - other.x || other.w - one.w; });
    var sum = 0, end = 0;  // frames below one that was counted are part of it
    found.forEach(function (each) {
      if (each.x >= end - 1e-6) { sum += each.w; end = each.x + each.w; }
    });
    state.textContent = found.length + " frames, " + (100 * sum / width).toFixed(1) + "%";
  }

  root.addEventListener("click", function (event) {
    var g = event.target.closest ? event.target.closest("g.f") : null;
    if (g) { zoom(g.at, g.at.y); }
    else if (event.target.closest && event.target.closest(".back")) { zoom(all, 0); }
  });
  root.addEventListener("keydown", function (event) {
    if (event.key === "Enter" && event.target.closest && event.target.closest("g.f")) {
      var g = event.target.closest("g.f");
      zoom(g.at, g.at.y);
    } else if (event.key === "Escape") {
      zoom(all, 0);
      if (box) { box.value = ""; search(""); }
    }
  });
  if (box) { box.addEventListener("input", function () { search(box.value); }); }
}());
"""
