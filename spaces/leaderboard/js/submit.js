"use strict";
// How to submit a system. If a server runs the page, there is also an upload form that scores at once.
GECBENCH.define("submit", (use) => {
  const { el, foreign, outside, points, range, sentence, counted } = use("dom");
  const { metricOf, currentTable, corpusLabel, setLabel } = use("board");

  async function showSubmit(main, state) {
    const { server, metrics, commands, tables, sealed, link } = GECBENCH.board();
    main.append(
      el("h2", null, "Submit a system"),
      el("p", null, "Give one output per line, in the order of the corpus, or JSON Lines with ",
        el("code", null, '{"prediction": "…"}'),
        ". Separate words and punctuation with spaces, as in the corpus",
        server ? ", or choose “raw text” under Tokens." : "."),
      ...sources(tables));
    if (server) main.append(submitForm(server, state));
    if (commands.length) {
      main.append(el("h3", null, "On the command line"), el("pre", { tabindex: 0 }, here(commands.join("\n"))),
        sealed ? "" : el("p", { class: "note" }, "With ", el("code", null, "--dry-run"),
          ", the submission is scored and ranked, but not added."));
    } else if (!server) {
      main.append(el("p", null, "The references are private, and this page does not accept uploads. "
        + "Send the outputs to the ",
        link ? outside(link, "organizers of the task") : "organizers of the task", "."));
    }
    main.append(
      sealed ? "" : el("p", null, "If the board is a dataset repository on the Hugging Face Hub, use ",
        el("code", null, "--board hf://datasets/NAME/BOARD"),
        ". The command then scores on your machine and opens a pull request with the record."),
      el("h3", null, "Metrics"),
      el("dl", null, measured(metrics, tables).flatMap(({ title, description, paper }) => [
        el("dt", null, title), el("dd", null, `${description} (${paper})`),
      ])));
  }

  /** The metrics that some table has, or all metrics if nothing is scored yet. */
  function measured(metrics, tables) {
    const used = metrics.filter(({ name }) => tables.some((table) => table.metrics.includes(name)));
    return used.length ? used : metrics;
  }

  /** Fill the address of this page into commands. */
  function here(text) {
    return text.replace("THIS-BOARD/", new URL(".", location.href).href);
  }

  /** Links to the source sentences, which systems correct. */
  function sources(tables) {
    const links = tables.filter((table) => table.source).flatMap((table, k) => [k ? ", " : "",
      el("a", { href: table.source, download: `${table.corpus.replace(/[^\w.-]+/g, "-")}.txt` },
        corpusLabel(table))]);
    const restricted = tables.filter((table) => table.restricted);
    return [
      links.length ? el("p", null, "Sentences to correct: ", links, ".") : "",
      restricted.length ? el("p", null, "The sentences of ", restricted.map(corpusLabel).join(" and "),
        " are not shown here, because the license does not permit it. To get them, run ",
        restricted.flatMap(({ name }, k) => [
          k ? " and " : "", el("code", null, `gecbench data source ${name} -o source.txt`)]), ".") : "",
    ];
  }

  function field(label, control, hint) {
    return el("label", { class: "field" }, el("span", null, label), control, hint ? el("small", null, hint) : null);
  }

  function sizeLabel(bytes) {
    return bytes >= 2 ** 20 ? `${(bytes / 2 ** 20).toFixed(0)} MB` : `${bytes} bytes`;
  }

  /** The corpora that accept submissions, as options. The corpus in the address is selected. */
  function corpusOptions(server, state) {
    const current = currentTable(state).name;
    const { tables } = GECBENCH.board();
    return server.corpora.map((name) => {
      const table = tables.find((each) => each.name === name);
      const several = table && tables.filter((each) => each.corpus === table.corpus && each.name).length > 1;
      const label = table ? corpusLabel(table) + (several ? `, ${setLabel(table)}` : "") : name;
      return el("option", { value: name, selected: name === current }, label);
    });
  }

  function tick(name, label) {
    return el("label", { class: "switch" }, el("input", { type: "checkbox", name, value: "yes" }), label);
  }

  function option(value, label) {
    return el("option", { value }, label);
  }

  function submitForm(server, state) {
    const input = (name, attributes) => el("input", { name, autocomplete: "off", ...attributes });
    const bar = el("progress", { max: 1, value: 0, hidden: true, "aria-label": "Progress" });
    const message = el("div", { class: "message", role: "status", id: "message" });
    const { sealed } = GECBENCH.board();
    const add = el("button", { type: "submit", value: "yes" }, "Add to board");
    const only = el("button", { type: "submit", class: "primary", value: "no" }, "Score only");
    const limit = server.per_day ? `At most ${counted(server.per_day, "submission")} per submitter and day` : null;
    const approaches = ["LLM", "seq2seq", "tagger", "rules", "hybrid", "statistical MT", "classifiers"];
    const form = el("form", { class: "submit" },
      field("Name of the system", input("name", { required: true, maxlength: 200 })),
      field("Corpus", el("select", { name: "corpus" }, corpusOptions(server, state))),
      field("Outputs", input("file", { type: "file", accept: ".txt,.jsonl,.csv,.tsv,text/plain" }),
        `Plain text, .jsonl, .csv or .tsv, at most ${sizeLabel(server.most_bytes)}`),
      field("or paste them", el("textarea", { name: "pasted", rows: 3, placeholder: "One output per line" })),
      field("Tokens", el("select", { name: "tokenize" }, option("none", "separated by spaces"),
        option("auto", "raw text: tokenize it like the corpus"))),
      el("div", { class: "ticks" }, tick("clean", "Remove labels and quotes around outputs"),
        tick("aligned", "Skip the check for shifted lines")),
      field("Submitter", input("submitter", { maxlength: 200, required: Boolean(server.name_required) }),
        limit && sealed ? `${limit}, including “Score only”` : limit),
      field("Link", input("link", { type: "url", maxlength: 500, placeholder: "https://…" })),
      field("Description", input("description", { maxlength: 2000 })),
      field("Year", input("year", { inputmode: "numeric", pattern: "[0-9]{4}", maxlength: 4 })),
      field("Approach", el("select", { name: "approach" }, option("", "not given"),
        approaches.map((name) => option(name, name)))),
      field("Size", input("size", { maxlength: 40, placeholder: "11B" })),
      field("Weights", el("select", { name: "weights" }, option("", "not given"), option("open", "open"),
        option("closed", "closed"))),
      server.token ? field("Upload token", input("token", { type: "password", required: true })) : null,
      el("div", { class: "actions" }, only, add, bar), message);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      const adds = !event.submitter || event.submitter.value === "yes";
      for (const button of [only, add]) button.disabled = true;
      bar.hidden = false;
      message.className = "message";
      try {
        await send(form, server, bar, message, adds);
      } catch (error) {
        message.classList.add("error");
        message.textContent = error.message;
      }
      for (const button of [only, add]) button.disabled = false;
      bar.hidden = true;
    });
    form.addEventListener("dragover", (event) => event.preventDefault());
    form.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files.length) form.elements.file.files = event.dataTransfer.files;
    });
    return form;
  }

  async function ask(address, options) {
    const response = await fetch(address, options);
    const problem = `The server replied with status ${response.status}. Try again later.`;
    let body;
    try {
      body = await response.json();
    } catch {
      throw new Error(problem);
    }
    if (!response.ok) throw new Error(body.error || problem);
    return body;
  }

  /** The outputs that were chosen or pasted. */
  function outputsOf(values, server) {
    const file = values.get("file");
    const pasted = values.get("pasted");
    const typed = pasted.trim() ? new File([`${pasted.replace(/\n+$/, "")}\n`], "pasted.txt") : null;
    const given = file.size ? file : typed;
    if (!given) throw new Error("Choose a file with the outputs, or paste them.");
    if (given.size > server.most_bytes) {
      throw new Error(`The outputs are larger than the limit of ${sizeLabel(server.most_bytes)}.`);
    }
    return given;
  }

  async function send(form, server, bar, message, adds) {
    const values = new FormData(form);
    const file = outputsOf(values, server);
    const query = new URLSearchParams({ file: file.name, add: adds ? "yes" : "no" });
    const sent = ["name", "corpus", "tokenize", "submitter", "link", "description", "year", "approach", "size",
      "weights", "clean", "aligned"];
    for (const name of sent) if (values.get(name)) query.set(name, values.get(name));
    const headers = { "Content-Type": "application/octet-stream", "X-Gecbench": "submit" };
    if (server.token) headers.Authorization = `Bearer ${values.get("token")}`;
    message.textContent = "Sending …";
    let job = await ask(`api/submissions?${query}`, { method: "POST", body: file, headers });
    while (job.state === "waiting" || job.state === "running") {
      bar.value = job.done;
      message.textContent = progressText(job);
      await new Promise((resolve) => { setTimeout(resolve, 250); });
      job = await ask(`api/submissions/${encodeURIComponent(job.id)}`);
    }
    if (job.state === "failed") throw new Error(job.error);
    bar.value = 1;
    message.classList.add("good");
    if (!job.added) {
      message.replaceChildren(...resultCard(job, values.get("name")));
      return;
    }
    await GECBENCH.refresh();
    const place = new URLSearchParams({ corpus: job.corpus, set: job.reference_set, id: job.record.slice(0, 12) });
    message.replaceChildren(el("p", null, `Added: rank ${job.rank} of ${job.of} by ${metricOf(job.metric).title}. `,
      el("a", { href: `#system?${place}`, id: "added" }, "See it on the board")), ...resultNotes(job));
  }

  function progressText({ state, stage }) {
    if (state === "running") return stage ? `Scoring: ${stage} …` : "Scoring …";
    return stage ? `Waiting: ${stage} …` : "Waiting to be scored …";
  }

  /** Warnings, and the lines that were cleaned or tokenized. */
  function resultNotes(job) {
    return [
      ...job.warnings.map((warning) => el("p", { class: "warning" }, `Note: ${sentence(warning)}`)),
      job.rewritten ? el("details", { class: "preview", open: true },
        el("summary", null, `${counted(job.rewritten, "line")} cleaned or tokenized before scoring`,
          job.rewritten > job.preview.length ? ` (shown: the first ${job.preview.length})` : ""),
        el("table", { class: "figures" },
          el("thead", null, el("tr", null, ["Line", "As given", "As scored"].map((label) => el("th",
            { scope: "col" }, label)))),
          el("tbody", null, job.preview.map(([line, before, after]) => el("tr", null,
            el("td", null, String(line)), el("td", null, foreign(before)), el("td", null, foreign(after))))))) : "",
    ];
  }

  /** The result of "Score only": scores, the rank that the system would get, and its neighbors in the ranking. */
  function resultCard(job, own) {
    const { title } = metricOf(job.metric);
    const scores = Object.entries(job.scores).sort(([one], [other]) => (other === job.metric) - (one === job.metric));
    const lines = scores.map(([name, { value, low, high }]) => el("tr", null,
      el("th", { scope: "row" }, metricOf(name).title), el("td", { class: "number main" }, points(value)),
      el("td", { class: "number" }, low == null ? "–" : range(low, high))));
    const { value: mine } = job.scores[job.metric];
    const above = job.neighbors.filter(({ value }) => value > mine).length;
    const around = [...job.neighbors.slice(0, above), { system: own, value: mine },
      ...job.neighbors.slice(above)];
    const neighbors = around.map(({ system, value, p_text: p }, k) => el("tr", { class: k === above ? "own" : null },
      el("th", { scope: "row" }, foreign(system)), el("td", { class: "number" }, points(value)),
      el("td", { class: "number" }, p || "–")));
    const head = (...labels) => el("thead", null, el("tr", null, labels.map((label, k) => el("th",
      { scope: "col", class: k ? "number" : null }, label))));
    return [
      el("p", { id: "scored" },
        el("strong", null, `If you add this system: rank ${job.rank} of ${job.of} by ${title}.`),
        " Nothing was added."),
      el("table", { class: "figures" }, head("Metric", "Score", "95% interval"), el("tbody", null, lines)),
      job.neighbors.length ? el("table", { class: "figures", id: "neighbors" },
        head("Neighbors", title, "p of the difference"), el("tbody", null, neighbors)) : "",
      ...resultNotes(job),
    ];
  }

  return { showSubmit };
});
