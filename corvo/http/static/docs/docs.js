const make = (tag, text, attributes = {}) => {
  const node = document.createElement(tag);
  if (text !== undefined) node.textContent = text;
  Object.entries(attributes).forEach(([name, value]) => node.setAttribute(name, value));
  return node;
};
const resolve = (api, schema) => schema && schema.$ref
  ? api.components.schemas[schema.$ref.split("/").pop()] : schema || {};
const spell = (schema) => {
  if (!schema) return "";
  if (schema.$ref) return schema.$ref.split("/").pop();
  if (schema.anyOf) return schema.anyOf.map(spell).filter((name) => name !== "null").join(" or ");
  if (schema.type === "array") return spell(schema.items) + "[]";
  return schema.type || "any";
};
const fields = (api, schema) => {
  const table = make("table");
  const known = resolve(api, schema);
  Object.entries(known.properties || {}).forEach(([name, type]) => {
    const row = table.appendChild(make("tr"));
    row.appendChild(make("td")).appendChild(make("code", name));
    row.appendChild(make("td", spell(type)));
    row.appendChild(make("td", (known.required || []).includes(name) ? "required" : ""));
  });
  return table;
};
const trial = (path, verb, operation) => {
  const box = make("details");
  box.appendChild(make("summary", "Try it"));
  const inputs = operation.parameters.filter((p) => p.in !== "header").map((parameter) => {
    const label = box.appendChild(make("label", parameter.name + " "));
    return [parameter, label.appendChild(make("input"))];
  });
  const body = operation.requestBody ? box.appendChild(make("textarea", undefined, { "aria-label": "Request body" })) : null;
  if (body) body.value = "{\n  \n}";
  const send = box.appendChild(make("button", "Send"));
  const answer = make("pre");
  send.addEventListener("click", async () => {
    // Relative to this page, as the description is: there may be a path before both.
    let target = path.slice(1);
    const query = new URLSearchParams();
    inputs.forEach(([parameter, input]) => {
      if (parameter.in === "path") target = target.replace(`{${parameter.name}}`, encodeURIComponent(input.value));
      else if (input.value) query.set(parameter.name, input.value);
    });
    const search = query.toString();
    answer.textContent = "…";
    box.appendChild(answer);
    try {
      const response = await fetch(target + (search ? "?" + search : ""), {
        method: verb.toUpperCase(), body: body ? body.value : undefined,
        headers: body ? { "Content-Type": "application/json" } : {},
      });
      const text = await response.text();
      let shown = text;
      try { shown = JSON.stringify(JSON.parse(text), null, 2); } catch { /* not JSON: show it as it is */ }
      answer.textContent = `${response.status} ${response.statusText}\n${shown}`;
    } catch (error) { answer.textContent = String(error); }
  });
  return box;
};
fetch("openapi.json").then((response) => response.json()).then((api) => {
  const index = document.getElementById("index"), main = document.getElementById("main");
  index.textContent = "";
  main.appendChild(make("p", `${api.info.summary} Version ${api.info.version}. Every failure has a code to match on; any write takes an Idempotency-Key.`));
  const groups = {};
  Object.entries(api.paths).forEach(([path, verbs]) => Object.entries(verbs).forEach(([verb, operation]) => {
    (groups[operation.tags[0]] ||= []).push({ path, verb, operation });
  }));
  Object.entries(groups).forEach(([tag, rows]) => {
    index.appendChild(make("h2", tag));
    main.appendChild(make("h2", tag));
    rows.forEach(({ path, verb, operation }) => {
      const id = operation.operationId;
      index.appendChild(make("a", `${verb.toUpperCase()} ${path.replace("/api/v1", "")}`, { href: "#" + id, title: operation.summary }));
      const section = main.appendChild(make("section", undefined, { id }));
      const title = section.appendChild(make("h3"));
      title.appendChild(make("span", verb.toUpperCase(), { class: "verb" }));
      title.appendChild(make("code", path));
      operation.description.split("\n\n").forEach((text) => section.appendChild(make("p", text)));
      const content = operation.requestBody && operation.requestBody.content["application/json"];
      if (content) {
        const body = section.appendChild(make("details"));
        body.appendChild(make("summary", "Request body"));
        body.appendChild(fields(api, content.schema));
      }
      const answers = section.appendChild(make("details"));
      answers.appendChild(make("summary", "Answers"));
      Object.entries(operation.responses).forEach(([status, response]) => {
        const line = answers.appendChild(make("p"));
        line.appendChild(make("strong", status + " "));
        line.appendChild(document.createTextNode(response.description));
        const good = status < "300" && response.content && response.content["application/json"];
        if (good) answers.appendChild(fields(api, good.schema));
      });
      section.appendChild(trial(path, verb, operation));
    });
  });
}).catch((error) => { document.getElementById("index").textContent = "The API description could not be loaded: " + error; });
