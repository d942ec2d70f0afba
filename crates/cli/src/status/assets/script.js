// Optional: sorts and filters the table of hosts without reloading, and refreshes live sections.
// Only content from the server is inserted into the page.
"use strict";

(function () {
  const collator = new Intl.Collator(document.documentElement.lang, { numeric: true });

  function value(row, column) {
    const cell = row.cells[column];
    return cell ? cell.dataset.value ?? cell.textContent.trim() : "";
  }

  function sort(table, head) {
    const column = head.cellIndex;
    const before = head.getAttribute("aria-sort");
    const first = head.dataset.first;
    const other = first === "ascending" ? "descending" : "ascending";
    const order = before === first ? other : first;
    for (const one of table.tHead.rows[0].cells) one.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", order);
    const sign = order === "ascending" ? 1 : -1;
    const body = table.tBodies[0];
    const compare = function (one, next) {
      const by = sign * collator.compare(value(one, column), value(next, column));
      return by || collator.compare(one.dataset.name, next.dataset.name);
    };
    Array.from(body.rows).sort(compare).forEach(function (row) { body.append(row); });
    const link = head.querySelector("a");
    if (link) history.replaceState(null, "", link.href);
    const name = new URL(link.href).searchParams.get("sort") || "";
    const turned = new URL(link.href);
    turned.searchParams.set("sort", name.startsWith("-") ? name.slice(1) : "-" + name);
    link.href = turned.pathname + turned.search;
  }

  document.querySelectorAll("table[data-sorts]").forEach(function (table) {
    table.tHead.addEventListener("click", function (event) {
      const head = event.target.closest("th");
      // With more than one page of rows only the server can sort them.
      if (!head || event.ctrlKey || event.metaKey || document.querySelector(".pager")) return;
      event.preventDefault();
      sort(table, head);
    });
  });

  const filter = document.getElementById("filter");
  const filtered = document.querySelectorAll("table[data-filtered]");
  if (filter && filtered.length && !document.querySelector(".pager")) {
    filter.addEventListener("input", function () {
      const wanted = filter.value.trim().toLowerCase();
      let shown = 0;
      for (const table of filtered) {
        for (const row of table.tBodies[0].rows) {
          row.hidden = !row.dataset.name.includes(wanted);
          shown += row.hidden ? 0 : 1;
        }
      }
      const folded = document.getElementById("silent");
      if (folded && wanted) folded.open = true;
      document.getElementById("count").textContent = String(shown);
    });
  }

  if (document.querySelector("[data-live]")) {
    setInterval(async function () {
      if (document.hidden) return;
      try {
        const answer = await fetch(location.pathname, { headers: { accept: "text/html" } });
        if (!answer.ok) return;
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        for (const now of document.querySelectorAll("[data-live]")) {
          const next = page.getElementById(now.id);
          // An element with the focus or an open part is not replaced.
          if (!next || now.contains(document.activeElement) || now.querySelector("details[open]")) continue;
          now.replaceWith(document.importNode(next, true));
        }
      } catch { /* the server is unreachable; retry at the next interval */ }
    }, 3000);
  }
})();
