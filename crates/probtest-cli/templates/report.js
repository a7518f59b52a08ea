"use strict";
(() => {
  const one = (selector, within = document) => within.querySelector(selector);
  const all = (selector, within = document) => Array.from(within.querySelectorAll(selector));
  const say = (words) => { one("#said").textContent = words; };

  // Without a script the page is whole; these parts need one.
  for (const part of all(".tools, .columns, #plan, [data-copy]")) part.hidden = false;

  // Tests: filter and sort.
  const list = one(".tests");
  const tests = all(".test", list);
  // Without the place: tests of one name stay beside each other.
  const names = new Map(tests.map((test) => [test, one(".id", test).textContent]));
  // A claim such as "p = 0.01" is one word.
  const plain = (text) => text.toLowerCase().replace(/\s*=\s*/g, "=");
  const needles = new Map(tests.map((test) => [
    test, plain([one(".name", test).textContent, one(".claim", test).textContent, one(".badge", test).textContent].join(" ")),
  ]));
  const filter = one("#filter");
  const statuses = all('input[name="status"]');

  function show() {
    const words = plain(filter.value).split(/\s+/).filter(Boolean);
    const wanted = new Set(statuses.filter((box) => box.checked).map((box) => box.value));
    let shown = 0;
    for (const test of tests) {
      const fits = wanted.has(test.dataset.status) && words.every((word) => needles.get(test).includes(word));
      test.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    one("#none").hidden = shown > 0;
    one("#shown").textContent = `${shown} of ${tests.length} tests shown`;
  }
  for (const event of ["input", "change"]) filter.addEventListener(event, show);
  for (const box of statuses) box.addEventListener("change", show);
  one("#reset").addEventListener("click", () => {
    filter.value = "";
    for (const box of statuses) box.checked = true;
    show();
    filter.focus();
  });

  const sorters = all("[data-sort]");
  const collator = new Intl.Collator();
  let order = { key: "rank", up: true };
  function sort(key) {
    // Numbers begin with the largest, names and verdicts with the first.
    const first = key === "rank" || key === "name";
    order = { key, up: order.key === key ? !order.up : first };
    const value = (test) => (key === "name" ? names.get(test) : Number(test.dataset[key]));
    const sorted = tests.slice().sort((a, b) => {
      const [x, y] = [value(a), value(b)];
      const way = key === "name" ? collator.compare(x, y) : x - y;
      return (order.up ? way : -way) || Number(a.dataset.rank) - Number(b.dataset.rank);
    });
    list.append(...sorted);
    mark();
    say(`sorted by ${one(`[data-sort="${key}"]`).dataset.text}, ${order.up ? "ascending" : "descending"}`);
  }
  function mark() {
    for (const button of sorters) {
      const is = button.dataset.sort === order.key;
      button.setAttribute("aria-pressed", String(is));
      button.textContent = button.dataset.text + (is ? (order.up ? " \u2191" : " \u2193") : "");
    }
  }
  for (const button of sorters) button.addEventListener("click", () => sort(button.dataset.sort));
  mark();

  // Its words say what it will do; a state beside them would be heard as its contrary.
  const openAll = one("#open-all");
  let open = false;
  openAll.addEventListener("click", () => {
    open = !open;
    for (const details of all("details", list)) details.open = open;
    openAll.textContent = open ? "Collapse all" : "Expand all";
  });

  // Lines to copy. From disk some browsers have no clipboard to write to.
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "visually-hidden";
      document.body.append(area);
      area.select();
      let done = false;
      try { done = document.execCommand("copy"); } catch { done = false; }
      area.remove();
      return done;
    }
  }
  for (const button of all("[data-copy]")) {
    button.addEventListener("click", async () => {
      const code = button.previousElementSibling;
      const done = await copy(code.textContent);
      if (!done) getSelection().selectAllChildren(code);
      button.focus();
      button.textContent = done ? "Copied" : "Selected";
      say(done ? "copied" : "the line is selected: copy it with the keyboard");
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  }

  // Planner: looks into the table, and multiplies by the seconds.
  const rows = all("#plans tbody tr");
  const heads = all("#plans thead th");
  const [p, epsilon, seconds] = ["#plan-p", "#plan-epsilon", "#plan-seconds"].map((id) => one(id));

  function span(total) {
    const units = [["years", 31557600], ["days", 86400], ["h", 3600], ["min", 60], ["s", 1], ["ms", 1e-3]];
    const [name, size] = units.find(([, unit]) => total >= unit) || units[units.length - 1];
    const amount = total / size;
    if (!Number.isFinite(amount)) return "longer than can be shown";
    if (amount > 0 && amount < 0.1) return "less than 0.1 ms";
    if (amount >= 1e6) return `about ${amount.toExponential(1)} ${name}`;
    return `about ${amount >= 100 ? Math.round(amount) : Number(amount.toPrecision(2))} ${name}`;
  }
  function plan() {
    const row = rows[Number(p.value)];
    const cell = all("td", row)[Number(epsilon.value)];
    for (const old of all("#plans .chosen")) old.classList.remove("chosen");
    for (const chosen of [cell, one("th", row), heads[Number(epsilon.value) + 1]]) chosen.classList.add("chosen");
    const text = seconds.value.trim().replace(",", ".");
    const each = /^(\d+\.?\d*|\.\d+)(e-?\d+)?$/i.test(text) ? Number(text) : NaN;
    const valid = Number.isFinite(each) && each > 0;
    seconds.setAttribute("aria-invalid", String(!valid));
    const known = cell.dataset.k !== "";
    one("#plan-k").textContent = known ? `${cell.textContent} executions` : "more than 2^63 executions";
    one("#plan-time").textContent = !valid ? "write the seconds as a number above 0"
      : known ? span(Number(cell.dataset.k) * each) : "";
    const rate = one("th", row).textContent;
    const caught = epsilon.selectedOptions[0].dataset.caught;
    one("#plan-promise").textContent =
      `A violation probability of ${rate} or more is caught with probability above ${caught}. The time is for one execution after the other.`;
  }
  for (const input of [p, epsilon, seconds]) {
    for (const event of ["input", "change"]) input.addEventListener(event, plan);
  }
  one("#plan").addEventListener("submit", (event) => event.preventDefault());
  plan();

  // On paper nothing can be expanded. A long suite has a line for each test there.
  let closed = [];
  addEventListener("beforeprint", () => {
    closed = list.classList.contains("long") ? [] : all("details:not([open])", list);
    for (const details of closed) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of closed) details.open = false; });
  show();
})();
