"use strict";
// Places for the names of points: beside them where there is room, else further off with a line; never over another.
GECBENCH.define("labels", (use) => {
  const { svg, shorten } = use("dom");
  const HEIGHT = 15;
  const RADIUS = 7;
  const DISTANCES = [10, 16, 24, 34, 46, 60, 76, 94, 114, 136, 160];
  const CROWD = 40;
  const COSTS = { cut: 30, ruled: 25, line: 40 };
  const DIRECTIONS = [0, 180, 45, -45, 135, -135, 90, -90, 22, -22, 158, -158, 67, -67, 113, -113];
  const pen = document.createElement("canvas").getContext("2d");

  function widthOf(text) {
    pen.font = "12px system-ui, sans-serif";
    return pen.measureText(text).width + 2;
  }

  function overlap(one, other) {
    return one.x < other.x + other.width && other.x < one.x + one.width
      && one.y < other.y + other.height && other.y < one.y + one.height;
  }

  function inside(part, box) {
    return part.x >= box.left && part.x + part.width <= box.right
      && part.y >= box.top && part.y + part.height <= box.bottom;
  }

  function dotBox({ x, y }) {
    return { x: x - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS };
  }

  /** The box of a text whose nearest edge is `distance` off a point in some direction (degrees, clockwise). */
  function boxAt(point, width, distance, degrees) {
    const angle = (degrees * Math.PI) / 180;
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const side = Math.abs(dx) < 0.3 ? -width / 2 : dx < 0 ? -width : 0;
    return { x: point.x + dx * distance + side, y: point.y + dy * distance - HEIGHT / 2, width, height: HEIGHT };
  }

  /** Whether a line passes through a box, looked at in steps. */
  function crosses({ from, to }, box) {
    return Array.from({ length: 25 }, (_, k) => k / 24).some((share) => overlap(box,
      { x: from.x + share * (to.x - from.x), y: from.y + share * (to.y - from.y), width: 0, height: 0 }));
  }

  /** Return the free places for a text: [{place, line, distance}], the line null beside its point. */
  function freePlaces(point, width, box, taken, distances) {
    return distances.flatMap((distance) => DIRECTIONS.map((degrees) => {
      const place = boxAt(point, width, distance, degrees);
      return { place, distance, line: distance > DISTANCES[1] ? { from: point, to: nearest(point, place) } : null };
    })).filter(({ place }) => inside(place, box) && !taken.some((other) => overlap(place, other)));
  }

  /** How bad a place is: far off, on a line of the chart or another name's, or with a line through names or points. */
  function costOf({ place, line, distance, cut }, apart, lines, ruled) {
    const count = (some, test) => some.filter(test).length;
    return distance + (cut ? COSTS.cut : 0)
      + COSTS.ruled * count(ruled, (other) => overlap(place, other))
      + COSTS.line * count(lines, (other) => crosses(other, place))
      + COSTS.line * (line ? count(apart, (other) => crosses(line, other)) : 0);
  }

  /** The end of a line from a point to a box: the place of the box that is nearest. */
  function nearest({ x, y }, place) {
    const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
    return { x: clamp(x, place.x, place.x + place.width), y: clamp(y, place.y + 2, place.y + HEIGHT - 2) };
  }

  /** Whether there are too many points for all of their names: only those with room beside them are named. */
  function crowded(points) {
    return points.length > CROWD;
  }

  /** Return the best place for a point's name: {text, place, line}, or nothing where there is no room at all. */
  function bestPlace(point, box, taken, lines, ruled, distances) {
    const apart = taken.filter((other) => !overlap(other, dotBox(point)));
    const texts = new Set((box.right - box.left < 500 ? [16, 9] : [26, 12]).map((most) => shorten(point.text, most)));
    const tried = [...texts].flatMap((text, cut) => freePlaces(point, widthOf(text), box, taken, distances)
      .map((found) => ({ ...found, text, cost: costOf({ ...found, cut }, apart, lines, ruled) })));
    return tried.reduce((best, each) => (best && best.cost <= each.cost ? best : each), null);
  }

  /** Return for each of [{x, y, text}] its label, {line, name}; `reserved` is kept free, `ruled` if there is room. */
  function placeLabels(points, box, reserved, ruled) {
    const taken = [...reserved, ...points.map(dotBox)];
    const lines = [];
    const distances = crowded(points) ? DISTANCES.slice(0, 2) : DISTANCES;
    return points.map((point) => {
      const found = bestPlace(point, box, taken, lines, ruled, distances);
      if (!found) return { line: null, name: null };
      const { text, place, line } = found;
      taken.push(place);
      if (line) lines.push(line);
      return {
        line: line && svg("line", { class: "leader", x1: point.x, y1: point.y, x2: line.to.x, y2: line.to.y }),
        name: svg("text", { x: place.x + 1, y: place.y + HEIGHT - 4 }, text),
      };
    });
  }

  return { placeLabels, widthOf, overlap, inside, dotBox, crowded };
});
