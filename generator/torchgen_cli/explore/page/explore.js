// @ts-check
// The page of `torchgen explore`: picks the pieces of each file that fit the answers, and joins them.

/** @typedef {{name: string, flag: string, help: string, default: string | string[],
 *   choices: Record<string, string>, several: boolean, needs: Record<string, string[]>}} Question */
/** @typedef {{on: string[], is: string[]}} Condition */
/** @typedef {number | {on: string[], of: Record<string, number>}
 *   | {on: string[], is: string[], then: Piece[], else: Piece[]}} Piece */
/** @typedef {{questions: Question[], project: string, package: string, texts: string[],
 *   files: {path: string, run: boolean, if: Condition[], pieces: Piece[]}[]}} Content */
/** @typedef {Record<string, string | string[]>} Answers */
/** @typedef {{text: string, run: boolean}} File */
/** @typedef {{value: string, added?: boolean, removed?: boolean, count: number}} Part */

/** The files of a project, by their paths.
 * @param {Content} content @param {Answers} answers @param {string} name
 * @returns {Map<string, File>} */
export function assemble(content, answers, name) {
  const fill = (/** @type {string} */ text) =>
    text.replaceAll(content.project, name).replaceAll(content.package, name.replaceAll("-", "_"));
  const value = (/** @type {string} */ key) => {
    const [question, choice] = key.split(".");
    const answer = answers[question];
    if (!Array.isArray(answer)) return answer;
    return (choice ? answer.includes(choice) : answer.length > 0) ? "1" : "0";
  };
  const key = (/** @type {string[]} */ on) => on.map(value).join(",");
  const join = (/** @type {Piece[]} */ pieces) => {
    let text = "";
    for (const piece of pieces) {
      if (typeof piece === "number") text += content.texts[piece];
      else if ("of" in piece) text += content.texts[piece.of[key(piece.on)]];
      else text += join(piece.is.includes(key(piece.on)) ? piece.then : piece.else);
    }
    return text;
  };
  const files = new Map();
  for (const file of content.files) {
    if (file.if.every((condition) => condition.is.includes(key(condition.on)))) {
      files.set(fill(file.path), { text: fill(join(file.pieces)), run: file.run });
    }
  }
  return files;
}

/** The choices of a question with several answers, with those that they need, in order.
 * @param {Question} question @param {string[]} chosen */
export function complete(question, chosen) {
  const wanted = [...chosen];
  for (const choice of wanted) {
    wanted.push(...(question.needs[choice] ?? []).filter((other) => !wanted.includes(other)));
  }
  return Object.keys(question.choices).filter((choice) => wanted.includes(choice));
}

/** The command that writes the project.
 * @param {Content} content @param {Answers} answers @param {string} name */
export function command(content, answers, name) {
  const words = ["torchgen", "new", name];
  for (const question of content.questions) {
    const answer = answers[question.name];
    if (String(answer) === String(question.default)) continue;
    words.push(question.flag, String(answer) || "none");
  }
  return words.join(" ");
}

/** The answers that an address names, and what is wrong with it.
 * @param {Content} content @param {string} address @returns {[Answers, string[]]} */
export function parse(content, address) {
  const given = new URLSearchParams(address);
  /** @type {Answers} */
  const answers = {};
  const wrong = [];
  for (const question of content.questions) {
    const text = given.get(question.name);
    answers[question.name] = question.default;
    if (text === null) continue;
    const named = question.several && text === "none" ? [] : question.several ? text.split(",") : [text];
    const unknown = named.filter((choice) => !(choice in question.choices));
    if (unknown.length) {
      const shown = String(question.default) || "none";
      wrong.push(`The address has ${question.name}=${unknown.join(",")}, which is no choice: ${shown} is shown.`);
    } else answers[question.name] = question.several ? complete(question, named) : text;
  }
  return [answers, wrong];
}

/** The address of a set of answers, without those that are the defaults.
 * @param {Content} content @param {Answers} answers */
export function address(content, answers) {
  const changed = content.questions.filter((q) => String(answers[q.name]) !== String(q.default));
  const pairs = changed.map((q) => `${q.name}=${encodeURIComponent(String(answers[q.name]) || "none")}`);
  return pairs.join("&").replaceAll("%2C", ",");
}

/** What is wrong with a project's name; the command checks more names. @param {string} name */
export function complaint(name) {
  if (name.length > 40) return `At most 40 characters; these are ${name.length}.`;
  return /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)
    ? ""
    : "Use a-z, 0-9 and single hyphens, a letter first.";
}

/** Totals of a project. @param {Map<string, File>} files @param {string} name */
export function totals(files, name) {
  const folder = `${name.replaceAll("-", "_")}/`;
  const found = { package: [0, 0], tests: [0, 0], rest: [0, 0], settings: 0, packages: "" };
  for (const [path, { text }] of files) {
    const part = path.startsWith(folder) ? found.package : path.startsWith("tests/") ? found.tests : found.rest;
    part[0] += count(text);
    part[1] += 1;
  }
  // a field with its help is a flag of train
  const config = files.get(`${folder}config.py`)?.text ?? "";
  const bases = config.match(/^class Config\(([^)]*)\)/m)?.[1].match(/\w+/g) ?? [];
  for (const each of ["Config", ...bases]) {
    const whole = new RegExp(`^class ${each}\\b[^]*?\\n(?=\\S(?!:))`, "m");
    for (const [path, { text }] of files) {
      const body = path.startsWith(folder) && text.includes(`class ${each}`) ? `${text}\nend`.match(whole)?.[0] : undefined;
      found.settings += body?.match(/^    \w+: [^\n]+ = [^\n]+\n    """/gm)?.length ?? 0;
    }
  }
  const listed = files.get("pyproject.toml")?.text.match(/^dependencies = \[\n([^\]]*)\]/m)?.[1] ?? "";
  found.packages = (listed.match(/"[\w-]+/g) ?? []).map((word) => word.slice(1)).join(", ");
  return found;
}

/** Lines of a text. @param {string} text */
const count = (text) => text.split("\n").length - (text.endsWith("\n") || !text ? 1 : 0);

/** The page. */
async function start() {
  const asked = fetch("content.json");
  // the first file is shown before it is highlighted
  /** @type {any} */
  let hljs = null;
  /** @type {{diffLines: (before: string, after: string) => Part[]}} */
  const Diff = /** @type {any} */ (globalThis).Diff;
  /** @type {Content} */
  const content = await (await asked).json();
  /** @type {(id: string) => any} */
  const element = (id) => document.getElementById(id);
  const plural = (/** @type {number} */ n, /** @type {string} */ what) =>
    `${n.toLocaleString("en")} ${what}${n === 1 ? "" : "s"}`;

  let name = "myproj";
  /** @type {Answers} */
  let answers = {};
  /** @type {Answers | null} */
  let base = null;
  let path = "";
  let line = 0;
  let shownFile = ""; // to draw it again only where it differs
  let timer = 0; // of a preview that is to begin or to end
  let pressed = false; // between a press of the pointer and its click
  let postponed = false; // whether a preview was to end meanwhile
  /** @type {Map<string, File>} */
  let files = new Map();

  /** Make an element. @param {string} tag @param {Record<string, any>} properties @param {(Node | string)[]} children */
  function make(tag, properties = {}, children = []) {
    const node = Object.assign(document.createElement(tag), properties);
    node.append(...children);
    return node;
  }

  /** What changes between two projects, by path. @param {Map<string, File>} before @param {Map<string, File>} after */
  function changes(before, after) {
    /** @type {Map<string, {kind: string, said: string}>} */
    const found = new Map();
    for (const each of new Set([...before.keys(), ...after.keys()])) {
      const [old, now] = [before.get(each), after.get(each)];
      if (!old) found.set(each, { kind: "new", said: `new, ${plural(count(now?.text ?? ""), "line")}` });
      else if (!now) found.set(each, { kind: "gone", said: `removed, ${plural(count(old.text), "line")}` });
      else if (old.text !== now.text) {
        const parts = Diff.diffLines(old.text, now.text);
        const sum = (/** @type {"added" | "removed"} */ way) =>
          parts.reduce((total, part) => total + (part[way] ? part.count : 0), 0);
        found.set(each, { kind: "changed", said: `changed, +${sum("added")} −${sum("removed")}` });
      }
    }
    return found;
  }

  /** Show the files, with what changes. @param {ReturnType<typeof changes>} marks */
  function showTree(marks) {
    const paths = [...new Set([...files.keys(), ...marks.keys()])].sort();
    const folder = `${name.replaceAll("-", "_")}/`;
    const rank = (/** @type {string} */ p) => (p.startsWith(folder) ? 0 : p.startsWith("tests/") ? 1 : 2);
    paths.sort((a, b) => rank(a) - rank(b));
    const focused = document.activeElement?.getAttribute("data-path");
    const root = make("ul", { className: "tree" });
    /** @type {Map<string, Element>} */
    const lists = new Map([["", root]]);
    for (const each of paths) {
      const parts = each.split("/");
      let parent = root;
      for (let depth = 1; depth < parts.length; depth++) {
        const place = parts.slice(0, depth).join("/");
        if (!lists.has(place)) {
          const list = make("ul", { className: "tree" });
          const summary = make("summary", { textContent: `${parts[depth - 1]}/` });
          summary.dataset.path = place;
          const details = make("details", { open: !closed.has(place) }, [
            summary,
            list,
          ]);
          details.addEventListener("toggle", () => {
            if (/** @type {any} */ (details).open) closed.delete(place);
            else closed.add(place);
          });
          parent.append(make("li", {}, [details]));
          lists.set(place, list);
        }
        parent = /** @type {any} */ (lists.get(place));
      }
      const mark = marks.get(each);
      const file = files.get(each);
      const number = count(file?.text ?? "");
      const unit = make("span", { className: "unseen", textContent: number === 1 ? " line" : " lines" });
      const button = make("button", { type: "button" }, [
        make("span", { className: "file", textContent: parts.at(-1) }),
        " ",
        make("span", { className: "lines" }, mark ? [mark.said] : [String(number), unit]),
      ]);
      button.dataset.path = each;
      if (each === path) button.setAttribute("aria-current", "true");
      parent.append(make("li", { className: mark?.kind ?? "" }, [button]));
    }
    element("tree").replaceChildren(root);
    if (focused) /** @type {any} */ (root.querySelector(`[data-path="${focused}"]`))?.focus();
  }
  /** @type {Set<string>} */
  const closed = new Set();

  /** The lines of a text, as highlighted HTML. @param {string} text @param {string} of */
  function highlighted(text, of) {
    const types = { py: "python", md: "markdown", yml: "yaml", yaml: "yaml", toml: "ini", html: "xml", sbatch: "bash" };
    const language = /** @type {Record<string, string>} */ (types)[of.split(".").at(-1) ?? ""];
    if (!language || !hljs) return text.split("\n").map(escaped);
    let open = "";
    return hljs.highlight(text, { language }).value.split("\n").map((/** @type {string} */ part) => {
      const whole = open + part;
      const tags = whole.match(/<span[^>]*>|<\/span>/g) ?? [];
      /** @type {string[]} */
      const left = [];
      for (const tag of tags) tag === "</span>" ? left.pop() : left.push(tag);
      open = left.join("");
      return whole + "</span>".repeat(left.length);
    });
  }

  const escaped = (/** @type {string} */ text) =>
    text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  /** Show a file, or how it differs from the set that was kept. */
  function showFile() {
    const before = base && assemble(content, base, name).get(path)?.text;
    const file = files.get(path);
    element("path").textContent = path;
    const now = file?.text ?? "";
    const key = JSON.stringify([path, line, base, before ?? null, file ? now : null]);
    if (key === shownFile) return;
    shownFile = key;
    const differs = base && before !== file?.text;
    const state = before === undefined || before === null ? "new" : file ? "changed" : "removed";
    element("about").textContent = differs
      ? `${plural(count(now), "line")}; ${state}, compared with ${described(/** @type {Answers} */ (base))}`
      : plural(count(now), "line") + (base ? "; the same in both" : "");
    element("text").replaceChildren(differs ? difference(before ?? "", now) : listing(now));
    if (line) document.getElementById(`L${line}`)?.scrollIntoView({ block: "center" });
    else element("text").scrollTop = 0;
  }

  /** @param {string} text */
  function listing(text) {
    const lines = highlighted(text.replace(/\n$/, ""), path);
    const rows = lines.map((/** @type {string} */ html, /** @type {number} */ index) => {
      const number = index + 1;
      const here = number === line ? ' class="here"' : "";
      return `<tr id="L${number}"${here}><td class="number"><a href="#" data-line="${number}" aria-label="Link to line ${number}" tabindex="-1">${number}</a></td><td>${html}</td></tr>`;
    });
    return make("table", { role: "presentation", innerHTML: `<tbody>${rows.join("")}</tbody>` });
  }

  /** Side by side where there is room, else one below the other. @param {string} before @param {string} after */
  function difference(before, after) {
    const wide = matchMedia("(min-width: 1400px)").matches;
    const parts = Diff.diffLines(before, after);
    const rows = [];
    const cell = (/** @type {string | undefined} */ text, /** @type {string} */ kind, /** @type {string} */ sign) =>
      `<td class="number">${text === undefined ? "" : sign}</td><td class="${text === undefined ? "" : kind}">${escaped(text ?? "")}</td>`;
    for (let index = 0; index < parts.length; index++) {
      const part = parts[index];
      const lines = part.value.replace(/\n$/, "").split("\n");
      if (!part.added && !part.removed) {
        const [first, last] = [index === 0, index === parts.length - 1];
        const keep = [first ? 0 : 3, last ? 0 : 3];
        const skipped = lines.length - keep[0] - keep[1];
        const row = (/** @type {string} */ l) => `<tr>${cell(l, "", "")}${wide ? cell(l, "", "") : ""}</tr>`;
        if (skipped > 1) {
          rows.push(...lines.slice(0, keep[0]).map(row));
          rows.push(`<tr class="skipped"><td colspan="4">${plural(skipped, "equal line")}</td></tr>`);
          rows.push(...lines.slice(lines.length - keep[1]).map(row));
        } else rows.push(...lines.map(row));
      } else if (wide) {
        const next = part.removed && parts[index + 1]?.added ? parts[++index] : null;
        const other = next ? next.value.replace(/\n$/, "").split("\n") : [];
        const [old, now] = part.removed ? [lines, other] : [[], lines];
        for (let at = 0; at < Math.max(old.length, now.length); at++) {
          rows.push(`<tr>${cell(old[at], "removed", "−")}${cell(now[at], "added", "+")}</tr>`);
        }
      } else {
        const [kind, sign] = part.added ? ["added", "+"] : ["removed", "−"];
        rows.push(...lines.map((text) => `<tr>${cell(text, kind, sign)}</tr>`));
      }
    }
    return make("table", {
      role: "presentation",
      className: wide ? "sides" : "",
      innerHTML: `<tbody>${rows.join("")}</tbody>`,
    });
  }

  /** A set of answers in words. @param {Answers} set */
  const described = (set) => command(content, set, name).split(" ").slice(3).join(" ") || "the default answers";

  /** Show all of the present state. */
  function show() {
    files = assemble(content, answers, name);
    const marks = compared();
    if (!files.has(path) && !marks.has(path)) {
      const own = `${name.replaceAll("-", "_")}/`;
      path = files.has(`${own}train.py`) ? `${own}train.py` : ([...files.keys()][0] ?? "");
      line = 0;
    }
    element("command").textContent = command(content, answers, name);
    const sum = totals(files, name);
    const part = (/** @type {number[]} */ [lines, number]) => `${plural(lines, "line")} in ${plural(number, "file")}`;
    const rows = {
      Package: part(sum.package),
      Tests: part(sum.tests),
      "Other files": part(sum.rest),
      Settings: String(sum.settings),
      Installs: sum.packages,
    };
    element("totals").replaceChildren(
      ...Object.entries(rows).flatMap(([term, value]) => [
        make("dt", { textContent: term }),
        make("dd", { textContent: value }),
      ]),
    );
    element("keep").textContent = base ? "End comparison" : "Compare with this";
    element("keep").setAttribute("aria-pressed", String(Boolean(base)));
    showMarks(marks);
    showFile();
    const words = [address(content, answers), name === "myproj" ? "" : `name=${name}`, `file=${path}`];
    if (line) words.push(`line=${line}`);
    if (base) words.push(`from=${encodeURIComponent(address(content, base))}`);
    history.replaceState(null, "", `#${words.filter(Boolean).join("&")}`);
  }
  const HINT = element("effect").textContent;

  /** How many files change, in words. @param {ReturnType<typeof changes>} marks */
  function effect(marks) {
    if (!marks.size) return "no file differs.";
    const kinds = { new: "new", changed: "changed", gone: "removed" };
    const said = Object.entries(kinds).map(([kind, word]) => {
      const number = [...marks.values()].filter((mark) => mark.kind === kind).length;
      return number ? `${plural(number, "file")} ${word}` : "";
    });
    return `${said.filter(Boolean).join(", ")}.`;
  }

  /** The answers with one choice taken, or given up. @param {Question} question @param {string} choice */
  function withChoice(question, choice) {
    if (!question.several) return { ...answers, [question.name]: choice };
    const now = /** @type {string[]} */ (answers[question.name]);
    const chosen = now.includes(choice) ? now.filter((other) => other !== choice) : [...now, choice];
    return { ...answers, [question.name]: complete(question, chosen) };
  }

  /** Mark what a choice changes. @param {Question} question @param {string} choice */
  function preview(question, choice) {
    const marks = changes(files, assemble(content, withChoice(question, choice), name));
    const chosen = question.several && answers[question.name].includes(choice);
    const verb = chosen ? "Without" : "With";
    element("effect").textContent = marks.size ? `${verb} ${choice}: ${effect(marks)}` : `${choice} is chosen.`;
    showTree(marks);
  }

  function showQuestions() {
    const sets = content.questions.map((question) => {
      const rows = Object.entries(question.choices).map(([choice, advice]) => {
        const users = question.several
          ? /** @type {string[]} */ (answers[question.name]).filter((other) => question.needs[other]?.includes(choice))
          : [];
        const input = make("input", {
          type: question.several ? "checkbox" : "radio",
          name: question.name,
          value: choice,
          checked: question.several ? answers[question.name].includes(choice) : answers[question.name] === choice,
          disabled: users.length > 0,
        });
        const why = users.length ? `${advice}. Needed by ${users.join(", ")}` : advice;
        const label = make("label", { className: "choice" }, [input, make("b", { textContent: choice }), make("small", { textContent: why })]);
        input.addEventListener("change", () => {
          answers = withChoice(question, choice);
          showQuestions();
          show();
          /** @type {any} */ (document.querySelector(`input[name="${question.name}"][value="${choice}"]`)).focus();
        });
        // later: the pointer may be passing by, or the focus on its way into the tree, which is made anew
        const soon = (/** @type {() => void} */ what) => () => {
          clearTimeout(timer);
          timer = setTimeout(what, 40);
        };
        for (const event of ["mouseenter", "focusin"]) label.addEventListener(event, soon(() => preview(question, choice)));
        for (const event of ["mouseleave", "focusout"]) label.addEventListener(event, soon(endPreview));
        return label;
      });
      return make("fieldset", {}, [make("legend", { textContent: question.help }), ...rows]);
    });
    element("questions").replaceChildren(...sets);
  }

  function endPreview() {
    postponed = pressed; // the tree must stay until the click is over
    if (!pressed) showMarks(compared());
  }

  /** What differs from the set that was kept. */
  const compared = () => (base ? changes(assemble(content, base, name), files) : new Map());

  /** @param {ReturnType<typeof changes>} marks */
  function showMarks(marks) {
    element("effect").textContent = base ? `Compared with ${described(base)}: ${effect(marks)}` : HINT;
    showTree(marks);
  }

  /** Read the address. */
  function restore() {
    const hash = location.hash.slice(1);
    const given = new URLSearchParams(hash);
    const [found, wrong] = parse(content, hash);
    answers = found;
    const wanted = given.get("name") ?? "myproj";
    if (complaint(wanted)) wrong.push(`The address has name=${wanted}, which cannot be a name: myproj is shown.`);
    name = complaint(wanted) ? "myproj" : wanted;
    base = null;
    if (given.has("from")) {
      const [kept, worse] = parse(content, given.get("from") ?? "");
      [base, wrong[wrong.length]] = [kept, worse.join(" ")];
    }
    [path, line] = [given.get("file") ?? "", Number(given.get("line")) || 0];
    element("message").textContent = wrong.filter(Boolean).join(" ");
    element("name").value = name;
    showQuestions();
    show();
  }

  /** @param {string} text @param {HTMLElement} button */
  async function copy(text, button) {
    const said = button.textContent;
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "Copied";
    } catch {
      element("message").textContent = `The browser refuses to copy; this is the text: ${text}`;
    }
    setTimeout(() => (button.textContent = said), 1500);
  }

  async function download() {
    // @ts-ignore
    const { zipSync, strToU8 } = await import("./vendor/fflate.js");
    /** @type {Record<string, any>} */
    const entries = {};
    for (const [each, { text, run }] of files) {
      entries[`${name}/${each}`] = [strToU8(text), { os: 3, attrs: (run ? 0o100755 : 0o100644) << 16 }];
    }
    const url = URL.createObjectURL(new Blob([zipSync(entries)], { type: "application/zip" }));
    const link = make("a", { href: url, download: `${name}.zip` });
    link.click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  element("answers").addEventListener("submit", (/** @type {Event} */ event) => event.preventDefault());
  element("name").addEventListener("input", () => {
    const wrong = complaint(element("name").value);
    element("name-error").textContent = wrong;
    element("name").setAttribute("aria-invalid", String(Boolean(wrong)));
    if (wrong) return;
    const own = `${name.replaceAll("-", "_")}/`;
    const rest = path.startsWith(own) ? path.slice(own.length) : null;
    name = element("name").value;
    if (rest !== null) path = `${name.replaceAll("-", "_")}/${rest}`;
    show();
  });
  element("tree").addEventListener("click", (/** @type {any} */ event) => {
    const button = event.target.closest("button");
    if (!button) return;
    [path, line] = [button.dataset.path, 0];
    show();
    if (matchMedia("(max-width: 1100px)").matches) element("file").scrollIntoView(); // it is below
  });
  element("tree").addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step) return;
    const all = [...element("tree").querySelectorAll("button, summary")].filter((each) => each.offsetParent);
    all[all.indexOf(document.activeElement) + step]?.focus();
    event.preventDefault();
  });
  element("text").addEventListener("click", (/** @type {any} */ event) => {
    if (!event.target.dataset.line) return;
    event.preventDefault();
    line = Number(event.target.dataset.line);
    show();
  });
  element("copy").addEventListener("click", () => copy(element("command").textContent, element("copy")));
  element("share").addEventListener("click", () => copy(location.href, element("share")));
  element("zip").addEventListener("click", download);
  element("keep").addEventListener("click", () => {
    base = base ? null : answers;
    show();
  });
  addEventListener("pointerdown", () => (pressed = true), true);
  for (const event of ["click", "pointercancel", "dragend"]) {
    addEventListener(event, () => {
      pressed = false;
      if (postponed) endPreview();
    });
  }
  addEventListener("hashchange", restore);
  // @ts-ignore
  import("./vendor/highlight.js").then((module) => {
    [hljs, shownFile] = [module.default, ""];
    showFile();
  });
  matchMedia("(min-width: 1400px)").addEventListener("change", () => {
    shownFile = "";
    showFile();
  });
  restore();
}

if (globalThis.document) start();
