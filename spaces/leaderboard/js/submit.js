"use strict";
// How to submit; with the server behind the page, a form that scores at once.
GECBENCH.define("submit", (use) => {
  const { el, outside, counted } = use("dom");
  const { metricOf } = use("board");

  async function showSubmit(main, state) {
    const { server, metrics, commands, tables, sealed, link } = GECBENCH.board();
    main.append(
      el("h2", null, "Submit a system"),
      el("p", null, "One output per line, in the order of the corpus; or JSON Lines with ",
        el("code", null, '{"prediction": "…"}'),
        ". Tokens are separated by blanks, or else natural text is split as the corpus is."),
      sources(tables));
    if (server) main.append(submitForm(server, state));
    if (commands.length) {
      main.append(el("h3", null, "On the command line"), el("pre", { tabindex: 0 }, here(commands.join("\n"))));
    } else if (!server) {
      main.append(el("p", null, "The references are sealed, and this page takes no uploads: send the outputs to the ",
        link ? outside(link, "organisers of the task") : "organisers of the task", "."));
    }
    main.append(
      sealed ? "" : el("p", null, "With a board that lives in a dataset repository on the Hugging Face Hub, ",
        el("code", null, "--board hf://datasets/NAME/BOARD"),
        " scores on your machine and opens a pull request with the record."),
      el("h3", null, "What is measured"),
      el("dl", null, measured(metrics, tables).flatMap(({ title, description, paper }) => [
        el("dt", null, title), el("dd", null, `${description} (${paper})`),
      ])));
  }

  /** The metrics that some table has, or all where nothing is scored yet. */
  function measured(metrics, tables) {
    const used = metrics.filter(({ name }) => tables.some((table) => table.metrics.includes(name)));
    return used.length ? used : metrics;
  }

  /** Commands with the address of this page in place of the one that they leave open. */
  function here(text) {
    return text.replace("THIS-BOARD/", new URL(".", location.href).href);
  }

  /** Links to the sentences that systems are run on. */
  function sources(tables) {
    const links = tables.filter((table) => table.source).flatMap((table, k) => [k ? ", " : "",
      el("a", { href: table.source, download: `${table.corpus.replace(/[^\w.-]+/g, "-")}.txt` }, table.corpus)]);
    return links.length ? el("p", null, "Sentences to correct: ", links, ".") : "";
  }

  function field(label, control, hint) {
    return el("label", { class: "field" }, el("span", null, label), control, hint ? el("small", null, hint) : null);
  }

  function sizeLabel(bytes) {
    return bytes >= 2 ** 20 ? `${(bytes / 2 ** 20).toFixed(0)} MB` : `${bytes} bytes`;
  }

  function submitForm(server, state) {
    const input = (name, attributes) => el("input", { name, autocomplete: "off", ...attributes });
    const corpora = server.corpora.map((name) => el("option", { value: name, selected: name === state.corpus }, name));
    const bar = el("progress", { max: 1, value: 0, hidden: true });
    const message = el("p", { class: "message", role: "status", id: "message" });
    const button = el("button", { type: "submit", class: "primary" }, "Score and add");
    const form = el("form", { class: "submit" },
      field("Name of the system", input("name", { required: true, maxlength: 200 })),
      field("Corpus", el("select", { name: "corpus" }, corpora)),
      field("Outputs", input("file", { type: "file", required: true, accept: ".txt,.jsonl,.csv,.tsv,text/plain" }),
        `Plain text, .jsonl, .csv or .tsv, at most ${sizeLabel(server.most_bytes)}`),
      field("Tokens", el("select", { name: "tokenize" }, el("option", { value: "none" }, "separated by blanks"),
        el("option", { value: "auto" }, "natural text: split it as the corpus does"))),
      field("Submitter", input("submitter", { maxlength: 200, required: Boolean(server.name_required) }),
        server.per_day ? `At most ${counted(server.per_day, "submission")} per name and day` : null),
      field("Link", input("link", { type: "url", maxlength: 500, placeholder: "https://…" })),
      field("Description", input("description", { maxlength: 2000 })),
      server.token ? field("Token", input("token", { type: "password", required: true })) : null,
      el("div", { class: "actions" }, button, bar), message);
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      button.disabled = true;
      bar.hidden = false;
      message.className = "message";
      try {
        await send(form, server, bar, message);
      } catch (error) {
        message.classList.add("error");
        message.textContent = error.message;
      }
      button.disabled = false;
      bar.hidden = true;
    });
    return form;
  }

  async function ask(address, options) {
    const response = await fetch(address, options);
    let body;
    try {
      body = await response.json();
    } catch {
      throw new Error(`The server answered ${response.status}.`);
    }
    if (!response.ok) throw new Error(body.error || `The server answered ${response.status}.`);
    return body;
  }

  async function send(form, server, bar, message) {
    const values = new FormData(form);
    const file = values.get("file");
    if (file.size > server.most_bytes) throw new Error("The file is larger than the limit.");
    const query = new URLSearchParams({ file: file.name });
    const sent = ["name", "corpus", "tokenize", "submitter", "link", "description"];
    for (const name of sent) query.set(name, values.get(name));
    const headers = { "Content-Type": "application/octet-stream", "X-Gecbench": "submit" };
    if (server.token) headers.Authorization = `Bearer ${values.get("token")}`;
    message.textContent = "Sending …";
    let job = await ask(`api/submissions?${query}`, { method: "POST", body: file, headers });
    while (job.state === "waiting" || job.state === "running") {
      bar.value = job.done;
      message.textContent = job.state === "waiting" ? "Waiting for its turn …" : `Scoring: ${job.stage} …`;
      await new Promise((resolve) => { setTimeout(resolve, 250); });
      job = await ask(`api/submissions/${encodeURIComponent(job.id)}`);
    }
    if (job.state === "failed") throw new Error(job.error);
    bar.value = 1;
    await GECBENCH.refresh();
    const place = new URLSearchParams({ corpus: job.corpus, set: job.reference_set, id: job.record.slice(0, 12) });
    message.classList.add("good");
    message.replaceChildren(`Added: rank ${job.rank} of ${job.of} by ${metricOf(job.metric).title}. `,
      el("a", { href: `#system?${place}`, id: "added" }, "See it on the board"),
      ...job.warnings.map((warning) => el("span", { class: "warning" }, ` Note: ${warning}.`)));
  }

  return { showSubmit };
});
