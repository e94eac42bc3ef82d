"use strict";
// Draws the report from the data in the page. Text from specs and devices enters only through
// textContent and setAttribute, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const get = (id) => document.getElementById(id);
  const svgName = "http://www.w3.org/2000/svg";

  function element(name, attributes = {}, ...children) {
    const node = name.startsWith("svg:") ? document.createElementNS(svgName, name.slice(4))
                                         : document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
  }

  // ---- numbers for people ----
  const scaled = (value, units) => {
    for (const [size, unit] of units) {
      if (Math.abs(value) >= size * 0.9995) return `${(value / size).toPrecision(3)} ${unit}`;
    }
    const [size, unit] = units[units.length - 1];
    return `${(value / size).toPrecision(3)} ${unit}`;
  };
  const seconds = (s) => scaled(s, [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]]);
  const flops = (f) => scaled(f, [[1e15, "PFLOP/s"], [1e12, "TFLOP/s"], [1e9, "GFLOP/s"], [1e6, "MFLOP/s"]]);
  const percent = (f) => `${(f * 100).toFixed(f < 0.0995 ? 1 : 0)}%`;
  const count = (n) => n.toLocaleString("en-US");

  // ---- records ----
  const groups = {
    memory: ["memory: DRAM, caches, access", ["dram", "l2", "l1", "shared", "access", "bank_conflicts"]],
    compute: ["compute: FP and tensor pipes, issue", ["fp", "tensor", "tensor_unused", "issue", "divergence", "spills"]],
    parallel: ["parallelism: occupancy, latency, launch", ["occupancy", "latency", "barriers", "grid_size", "tail", "launch"]],
    ceiling: ["near its ceiling", ["near_ceiling"]],
    unknown: ["bound not known", []],
  };
  const groupOf = (bound) =>
    Object.keys(groups).find((name) => groups[name][1].includes(bound)) || "unknown";
  const valueText = (record, index) => {
    const values = data.parameters[index].values;
    const at = record.values[index];
    return typeof at === "number" ? values[at] : at[0];
  };
  const configuration = (record) =>
    data.parameters.map((p, i) => `${p.name}=${valueText(record, i)}`).join(" ");
  const succeeded = data.records.filter((r) => r.outcome === "ok");
  const best = succeeded.find((r) => r.number === data.best);

  function improvements() {
    const steps = [];
    for (const record of succeeded) {
      if (!steps.length || record.seconds < steps[steps.length - 1].seconds) steps.push(record);
    }
    return steps;
  }

  function definitions(list, pairs) {
    for (const [term, text] of pairs) {
      if (text === "" || text === undefined || text === null) continue;
      list.append(element("dt", {}, term), element("dd", {}, String(text)));
    }
  }

  function head() {
    get("title").textContent = `${data.name} on ${data.device.name}`;
    get("verdict").textContent = data.verdict;
    get("host-note").hidden = data.device.kind !== "host";
    definitions(get("facts"), [
      ["Evaluations", `${count(data.records.length)} of ${count(data.space_size)} configurations`],
      ["Time taken", seconds(data.elapsed_seconds)],
      ["Stopped because", data.stop],
      ["Policy", `${data.policy}, seed ${data.seed}`],
    ]);
  }

  // ---- plot ----
  const tooltip = get("tooltip");
  function showTooltip(record, x, y) {
    tooltip.replaceChildren(
      element("strong", {}, `${record.number}. ${seconds(record.seconds)}`), element("br"),
      configuration(record), element("br"),
      `${flops(record.flops)}, ${record.intensity.toPrecision(3)} FLOP/byte, ` +
      `${percent(record.fraction)} of its roof`, element("br"), `bound: ${record.bound || "not known"}`);
    tooltip.hidden = false;
    const room = document.documentElement.clientWidth - tooltip.offsetWidth - 8;
    tooltip.style.left = `${Math.max(4, Math.min(x + 14, room)) + window.scrollX}px`;
    tooltip.style.top = `${y + 14 + window.scrollY}px`;
  }

  // Powers of ten between two exponents; 2 and 5 times them too where there are few.
  function ticks(from, to) {
    const list = [];
    const steps = to - from < 2.6 ? [1, 2, 5] : [1];
    for (let e = Math.floor(from); e <= Math.ceil(to); ++e) {
      for (const m of steps) {
        const v = m * 10 ** e;
        if (Math.log10(v) >= from && Math.log10(v) <= to) list.push(v);
      }
    }
    return list;
  }

  function plot() {
    const points = succeeded.filter((r) => r.intensity > 0 && r.flops > 0);
    const holder = get("plot");
    const compute = data.roofs.filter((r) => r.kind === "compute");
    const memory = data.roofs.filter((r) => r.kind === "bandwidth");
    if (!points.length) {
      holder.replaceChildren("No configuration has both a time and a work formula: nothing to place.");
      return;
    }
    const width = 960, height = 520, left = 74, right = 18, top = 18, bottom = 52;
    const ridges = compute.flatMap((c) => memory.map((m) => c.value / m.value));
    const xs = points.map((p) => p.intensity).concat(ridges);
    const ys = points.map((p) => p.flops).concat(compute.map((c) => c.value));
    const low = (list) => Math.log10(list.reduce((a, b) => Math.min(a, b))) - 0.35;
    const high = (list) => Math.log10(list.reduce((a, b) => Math.max(a, b))) + 0.35;
    const [x1, y1] = [high(xs), high(ys)];
    // The steepest roof, too, is drawn for as long as its label is.
    const room = (from, to, end, share) => Math.min(from, (end - share * to) / (1 - share));
    const x0 = room(low(xs), x1, Math.log10(ridges.reduce((a, b) => Math.min(a, b), Infinity)), 0.26);
    const y0 = room(low(ys), y1, Math.log10(compute.reduce((a, c) => Math.max(a, c.value), 0)), 0.4);
    const px = (v) => left + (Math.log10(v) - x0) / (x1 - x0) * (width - left - right);
    const py = (v) => height - bottom - (Math.log10(v) - y0) / (y1 - y0) * (height - top - bottom);
    const svg = element("svg:svg", {viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true"});

    for (const v of ticks(x0, x1)) {
      const x = px(v);
      svg.append(element("svg:line", {class: "axis", x1: x, x2: x, y1: top, y2: height - bottom}),
        element("svg:text", {class: "tick", x, y: height - bottom + 18, "text-anchor": "middle"},
          v >= 0.01 && v < 1e5 ? String(+v.toPrecision(1)) : v.toExponential(0)));
    }
    for (const v of ticks(y0, y1)) {
      const y = py(v);
      svg.append(element("svg:line", {class: "axis", x1: left, x2: width - right, y1: y, y2: y}),
        element("svg:text", {class: "tick", x: left - 6, y: y + 4, "text-anchor": "end"},
          flops(v).replace(/\.0+ /, " ").replace("FLOP/s", "")));
    }
    svg.append(
      element("svg:text", {class: "axis-label", x: (left + width) / 2, y: height - 12, "text-anchor": "middle"},
        "arithmetic intensity, FLOP per byte of DRAM traffic"),
      element("svg:text", {class: "axis-label", x: 14, y: height / 2, "text-anchor": "middle",
        transform: `rotate(-90 14 ${height / 2})`}, "performance, FLOP/s (G = 1e9, T = 1e12)"));

    const clip = element("svg:clipPath", {id: "frame"});
    clip.append(element("svg:rect", {x: left, y: top, width: width - left - right, height: height - top - bottom}));
    svg.append(clip);
    const inside = element("svg:g", {"clip-path": "url(#frame)"});
    svg.append(inside);
    const peak = compute.reduce((a, r) => Math.max(a, r.value), 0);
    const widest = memory.reduce((a, r) => Math.max(a, r.value), 0);
    compute.forEach((roof) => {
      const from = widest > 0 ? roof.value / widest : 10 ** x0;
      inside.append(element("svg:line", {class: `roof ${roof.source}`, x1: px(Math.max(from, 10 ** x0)),
        x2: width - right, y1: py(roof.value), y2: py(roof.value)}));
      inside.append(element("svg:text", {x: width - right - 6, y: py(roof.value) - 6, "text-anchor": "end"},
        roof.label));
    });
    memory.forEach((roof, index) => {
      const endX = Math.min(peak / roof.value, 10 ** x1);
      inside.append(element("svg:line", {class: `roof ${roof.source}`, x1: px(10 ** x0),
        y1: py(10 ** x0 * roof.value), x2: px(endX), y2: py(endX * roof.value)}));
      const at = 10 ** (Math.max(x0, y0 - Math.log10(roof.value)) + 0.12 + 0.05 * (index % 3));
      const angle = -Math.atan2((height - top - bottom) / (y1 - y0), (width - left - right) / (x1 - x0)) * 180 / Math.PI;
      const x = px(at), y = py(at * roof.value) - 6;
      inside.append(element("svg:text", {x, y, transform: `rotate(${angle} ${x} ${y})`},
        roof.label));
    });

    const steps = improvements().filter((r) => r.intensity > 0);
    inside.append(element("svg:polyline", {class: "path",
      points: steps.map((r) => `${px(r.intensity)},${py(r.flops)}`).join(" ")}));
    for (const record of points) {
      record.x = px(record.intensity);
      record.y = py(record.flops);
      inside.append(element("svg:circle", {class: `point g-${groupOf(record.bound)}`, cx: record.x, cy: record.y,
        r: record === best ? 6 : 3.5, "data-number": record.number}));
    }
    let labelledY = Infinity;
    steps.forEach((record, index) => {
      // A number at each step that is far enough from the last one to be read.
      const nearBest = record !== best && best.x && Math.abs(record.y - best.y) < 14;
      if (index === 0 || record === best || (!nearBest && Math.abs(record.y - labelledY) > 14)) {
        inside.append(element("svg:text", {class: "step", x: record.x + (record === best ? 12 : 7), y: record.y + 3}, String(record.number)));
        labelledY = record.y;
      }
    });
    if (best && best.x) inside.append(element("svg:circle", {class: "best", cx: best.x, cy: best.y, r: 9}));
    const current = element("svg:circle", {class: "current", r: 8, visibility: "hidden"});
    inside.append(current);
    holder.replaceChildren(svg);
    interact(holder, svg, points, current, width);
    legend(points);
  }

  function interact(holder, svg, points, current, width) {
    let index = Math.max(0, points.indexOf(best));
    const select = (record) => {
      current.setAttribute("cx", record.x);
      current.setAttribute("cy", record.y);
      current.setAttribute("visibility", "visible");
      const box = svg.getBoundingClientRect();
      const scale = box.width / width;
      showTooltip(record, box.left + record.x * scale, box.top + record.y * scale);
    };
    const leave = () => { tooltip.hidden = true; current.setAttribute("visibility", "hidden"); };
    holder.addEventListener("mousemove", (event) => {
      const box = svg.getBoundingClientRect();
      const scale = box.width / width;
      const x = (event.clientX - box.left) / scale, y = (event.clientY - box.top) / scale;
      let nearest = null, distance = 18 * 18;
      for (const record of points) {
        const d = (record.x - x) ** 2 + (record.y - y) ** 2;
        if (d < distance) { distance = d; nearest = record; }
      }
      if (nearest) { index = points.indexOf(nearest); select(nearest); } else leave();
    });
    holder.addEventListener("mouseleave", leave);
    holder.addEventListener("focus", () => select(points[index]));
    holder.addEventListener("blur", leave);
    holder.addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
      if (event.key === "Home") index = 0;
      else if (event.key === "End") index = points.length - 1;
      else if (event.key === "Escape") return leave();
      else if (step) index = (index + step + points.length) % points.length;
      else return;
      event.preventDefault();
      select(points[index]);
    });
  }

  function legend(points) {
    for (const [name, [text]] of Object.entries(groups)) {
      const members = points.filter((r) => groupOf(r.bound) === name).length;
      if (!members) continue;
      const swatch = element("svg:svg", {viewBox: "0 0 12 12"});
      swatch.append(element("svg:circle", {class: `g-${name}`, cx: 6, cy: 6, r: 5}));
      get("legend").append(element("span", {}, swatch, `${text} (${count(members)})`));
    }
    const failed = data.records.length - succeeded.length;
    if (failed) get("legend").append(element("span", {class: "failed"}, `${count(failed)} failed, in the table below`));
  }

  // ---- diagnosis, story, effects, resources ----
  function diagnosis() {
    const holder = get("diagnosis");
    if (!best) return void holder.append("No configuration succeeded; the table tells why.");
    holder.append(element("p", {}, data.diagnosis.summary || ""));
    if (data.diagnosis.missing) holder.append(element("p", {class: "hint"}, `Needed to know more: ${data.diagnosis.missing}`));
    for (const finding of data.diagnosis.findings) {
      const bar = element("span");
      bar.style.width = percent(Math.min(1, finding.utilisation));
      const gain = finding.speedup_at_most > 1.005 ? `; without it at most ${finding.speedup_at_most.toFixed(2)}x faster` : "";
      holder.append(element("div", {class: "finding"},
        element("strong", {}, finding.bound.replace("_", " ")), ` ${finding.evidence}${gain}`,
        finding.utilisation > 0 ? element("div", {class: "meter", title: percent(finding.utilisation)}, bar) : "",
        element("div", {class: "hint"}, finding.remedies.join("; "))));
    }
  }

  function story() {
    const better = new Set(improvements());
    const list = get("story");
    const draw = () => {
      const all = get("story-all").checked;
      let last = null;
      list.replaceChildren();
      for (const record of data.records) {
        const isBetter = better.has(record);
        if (isBetter || all) {
          const gain = isBetter && last ? `, ${(last.seconds / record.seconds).toFixed(2)}x` : "";
          const outcome = record.outcome === "ok" ? `${seconds(record.seconds)}${gain}` : `${record.outcome}: ${record.failure}`;
          list.append(element("li", {class: isBetter ? "better" : record.outcome === "ok" ? "" : "bad"},
            element("strong", {}, `${record.number}. ${outcome}`), ` ${configuration(record)}`, element("br"), record.why));
        }
        if (isBetter) last = record;
      }
    };
    get("story-all").addEventListener("change", draw);
    draw();
  }

  function median(values) {
    const sorted = [...values].sort((a, b) => a - b);
    const middle = sorted.length >> 1;
    return sorted.length % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  function effects() {
    if (!best) return;
    data.parameters.forEach((parameter, index) => {
      if (parameter.values.length < 2) return;
      const byValue = parameter.values.map((value) =>
        succeeded.filter((r) => valueText(r, index) === value).map((r) => r.seconds));
      const slowest = byValue.filter((t) => t.length).map(median).reduce((a, b) => Math.max(a, b), 0);
      const body = element("tbody");
      parameter.values.forEach((value, at) => {
        const times = byValue[at];
        if (!times.length) {
          body.append(element("tr", {}, element("td", {}, value), element("td", {class: "bar hint"}, "not tried"), element("td")));
          return;
        }
        const least = times.reduce((a, b) => Math.min(a, b));
        const fill = element("div", {class: "fill"});
        fill.style.width = percent(least / slowest);
        const tick = element("div", {class: "median"});
        tick.style.left = `calc(${percent(median(times) / slowest)} - 2px)`;
        body.append(element("tr", {}, element("td", {}, value), element("td", {class: "bar"}, fill, tick),
          element("td", {}, `${(least / best.seconds).toFixed(2)}x, n=${times.length}`)));
      });
      get("effects").append(element("div", {}, element("h3", {}, `${parameter.name} (${parameter.role})`),
        element("table", {}, body)));
    });
  }

  function resources() {
    const list = element("dl");
    definitions(list, data.resources);
    get("resources").append(data.resources.length ? list : "The device reports none.");
  }

  // ---- table ----
  function table() {
    const columns = [
      {title: "#", value: (r) => r.number},
      ...data.parameters.map((p, i) => ({title: p.name, value: (r) => {
        const text = valueText(r, i);
        return text !== "" && !Number.isNaN(Number(text)) ? Number(text) : text;
      }})),
      {title: "time", value: (r) => (r.outcome === "ok" ? r.seconds : Infinity), show: (r) => (r.outcome === "ok" ? seconds(r.seconds) : "")},
      {title: "of roof", value: (r) => r.fraction || 0, show: (r) => (r.outcome === "ok" && r.fraction ? percent(r.fraction) : "")},
      {title: "bound", value: (r) => r.bound, text: true},
      {title: "outcome", value: (r) => r.outcome, text: true, show: (r) => (r.failure ? `${r.outcome}: ${r.failure}` : r.outcome)},
    ];
    const chunk = 200;
    let rows = [...data.records], sorted = -1, ascending = true, shown = chunk;
    const body = get("table").tBodies[0];
    const textOf = (r) => `${configuration(r)} ${r.bound} ${r.outcome} ${r.failure}`.toLowerCase();
    const draw = () => {
      body.replaceChildren(...rows.slice(0, shown).map((r) => element("tr", {class: r === best ? "best" : ""},
        ...columns.map((c) => element("td", {class: (c.text ? "text" : "") + (r.outcome !== "ok" && c.title === "outcome" ? " failed reason" : "")},
          String(c.show ? c.show(r) : c.value(r)))))));
      get("row-count").textContent = `${count(rows.length)} rows`;
      get("more").hidden = rows.length <= shown;
    };
    const header = element("tr");
    columns.forEach((column, index) => {
      const button = element("button", {type: "button"}, column.title);
      const cell = element("th", {scope: "col", class: column.text ? "text" : ""}, button);
      button.addEventListener("click", () => {
        ascending = sorted === index ? !ascending : true;
        sorted = index;
        for (const th of header.children) th.removeAttribute("aria-sort");
        cell.setAttribute("aria-sort", ascending ? "ascending" : "descending");
        update();
      });
      header.append(cell);
    });
    get("table").tHead.append(header);
    const update = () => {
      const words = get("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
      rows = data.records.filter((r) => {
        const text = textOf(r), parts = text.split(" ");
        return words.every((w) => (w.includes("=") ? parts.includes(w) : text.includes(w)));
      });
      if (sorted >= 0) {
        const {value} = columns[sorted];
        const sign = ascending ? 1 : -1;
        rows.sort((a, b) => { const x = value(a), y = value(b); return x < y ? -sign : x > y ? sign : 0; });
      }
      draw();
    };
    get("filter").addEventListener("input", () => { shown = chunk; update(); });
    get("more").addEventListener("click", () => { shown += chunk; draw(); });
    draw();
  }

  function reproduce() {
    definitions(get("environment"), data.environment);
    get("command").textContent = data.command;
    get("spec").textContent = data.spec_text;
  }

  head();
  plot();
  diagnosis();
  story();
  effects();
  resources();
  table();
  reproduce();
})();
