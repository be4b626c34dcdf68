// What pages do more with scripts than without: they look again by themselves, complete queries,
// and take keys. Nothing here is needed to use them.
"use strict";

function lookAgain() {
  const waiting = document.querySelector("[data-reload]");
  if (!waiting) return;
  setTimeout(async () => {
    if (document.hidden) return lookAgain();
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        // whoever writes in a form, or reads by the keyboard, is not interrupted
        const main = document.querySelector("main"), active = document.activeElement;
        // a click anywhere gives the focus to `main` itself, which is no work
        const busy = active !== main && main.contains(active);
        if (!busy) main.replaceChildren(...page.querySelector("main").childNodes);
      }
    } catch { /* the server is away: try again */ }
    lookAgain();
  }, 1000 * Number(waiting.dataset.reload));
}

function completeQueries(input) {
  const list = document.getElementById(`${input.id}-options`);
  let start = 0, chosen = -1, asked = 0, timer;
  const attributes = { role: "combobox", "aria-expanded": "false", "aria-controls": list.id, "aria-autocomplete": "list" };
  for (const [name, value] of Object.entries(attributes)) input.setAttribute(name, value);
  // an answer on its way, or a question about to be asked, opens nothing that was closed
  const close = () => {
    list.hidden = true; chosen = -1; asked += 1; clearTimeout(timer);
    input.setAttribute("aria-expanded", "false"); input.removeAttribute("aria-activedescendant");
  };
  const take = (word) => { input.value = input.value.slice(0, start) + word; close(); input.focus(); ask(); };
  const choose = (next) => {
    const options = [...list.children];
    chosen = (next + options.length) % options.length;
    options.forEach((option, number) => option.setAttribute("aria-selected", String(number === chosen)));
    options[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", options[chosen].id);
  };
  const ask = async () => {
    const mine = ++asked;
    const answer = await fetch(`${input.dataset.complete}?q=${encodeURIComponent(input.value)}`);
    if (!answer.ok || mine !== asked) return;
    const found = await answer.json();
    const choice = list.hidden ? undefined : list.children[chosen]?.textContent;
    start = found.start; chosen = -1;
    const begun = input.value.slice(start);
    const words = found.words.filter((word) => word !== begun);
    list.replaceChildren(...words.map((word, number) => {
      const option = document.createElement("li");
      option.id = `${list.id}-${number}`; option.textContent = word;
      option.setAttribute("role", "option"); option.setAttribute("aria-selected", "false");
      option.addEventListener("mousedown", (event) => { event.preventDefault(); take(word); });
      return option;
    }));
    list.hidden = !words.length;
    input.setAttribute("aria-expanded", String(Boolean(words.length)));
    // a late answer does not take back what was chosen meanwhile
    if (words.includes(choice)) choose(words.indexOf(choice));
    else input.removeAttribute("aria-activedescendant");
  };
  input.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(ask, 120); });
  input.addEventListener("blur", close);
  input.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return close();
    if (list.hidden) { if (event.key === "ArrowDown") { event.preventDefault(); ask(); } return; }
    if (event.key === "ArrowDown") { event.preventDefault(); choose(chosen + 1); }
    if (event.key === "ArrowUp") { event.preventDefault(); choose(chosen < 0 ? -1 : chosen - 1); }
    if ((event.key === "Enter" || event.key === "Tab") && chosen >= 0) {
      event.preventDefault(); take(list.children[chosen].textContent);
    }
  });
}

function takeKeys() {
  document.addEventListener("keydown", (event) => {
    // out of a field that a key has led into
    if (event.key === "Escape" && event.target.matches("[data-key], #comments *")) event.target.blur();
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=radio]), textarea, select")) return;
    // which sign ⇧2 writes differs from keyboard to keyboard
    const digit = event.shiftKey && /^Digit(\d)$/.exec(event.code);
    const key = digit ? `⇧${digit[1]}` : event.key;
    const target = document.querySelector(`[data-key="${CSS.escape(key)}"]`);
    if (!target) return;
    event.preventDefault();
    if (target.matches("textarea, input:not([type=radio])")) target.focus(); else target.click();
  });
}

// A click on a line's number begins a comment there, in the first form that has none yet.
function commentOnLines() {
  const comments = document.getElementById("comments");
  if (!comments) return;
  document.addEventListener("click", (event) => {
    const number = event.target.closest(".num"), section = event.target.closest("[data-part]");
    if (!number || !section || !number.textContent) return;
    const forms = [...comments.querySelectorAll("fieldset")];
    const form = forms.find((each) => !each.querySelector("textarea").value) ?? forms.at(-1);
    const isLeft = section.dataset.part === "port" && number.nextElementSibling?.matches(".left");
    event.preventDefault();
    // the form of another verdict is folded, too
    for (let outer = comments; outer; outer = outer.parentElement.closest("details")) outer.open = true;
    form.querySelector("select").value = isLeft ? "source" : section.dataset.part;
    form.querySelector("input").value = number.textContent;
    document.querySelectorAll(".chosen").forEach((line) => line.classList.remove("chosen"));
    number.closest(".line, tr").classList.add("chosen");
    const text = form.querySelector("textarea"), panel = form.closest("aside");
    // beside the text only its own column moves, so that the line stays in sight
    const isBeside = panel && getComputedStyle(panel).position === "sticky";
    text.focus({ preventScroll: isBeside });
    if (isBeside) panel.scrollTop += text.getBoundingClientRect().bottom - panel.getBoundingClientRect().bottom + 96;
  });
}

lookAgain();
commentOnLines();
document.querySelectorAll("[data-complete]").forEach(completeQueries);
takeKeys();
