"use strict";
// Places for the names of points: beside them where there is room, else further off with a line; never over another.
GECBENCH.define("labels", (use) => {
  const { svg, shorten } = use("dom");
  const HEIGHT = 15;
  const RADIUS = 7;
  const DISTANCES = [10, 16, 24, 34, 46, 60, 76, 94, 114, 136, 160];
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

  /** The box of a text whose nearest edge is `distance` off a point in some direction (degrees, clockwise). */
  function boxAt(point, width, distance, degrees) {
    const angle = (degrees * Math.PI) / 180;
    const [dx, dy] = [Math.cos(angle), Math.sin(angle)];
    const side = Math.abs(dx) < 0.3 ? -width / 2 : dx < 0 ? -width : 0;
    return { x: point.x + dx * distance + side, y: point.y + dy * distance - HEIGHT / 2, width, height: HEIGHT };
  }

  function firstFree(point, width, box, taken) {
    for (const distance of DISTANCES) {
      for (const degrees of DIRECTIONS) {
        const place = boxAt(point, width, distance, degrees);
        if (inside(place, box) && !taken.some((other) => overlap(place, other))) return { place, distance };
      }
    }
    return null;
  }

  /** The end of a line from a point to a box: the place of the box that is nearest. */
  function nearest({ x, y }, place) {
    const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
    return { x: clamp(x, place.x, place.x + place.width), y: clamp(y, place.y + 2, place.y + HEIGHT - 2) };
  }

  /** Return for each of [{x, y, text}] the parts of its label, none where there is no room at all. */
  function placeLabels(points, box, reserved) {
    const taken = [...reserved, ...points.map(({ x, y }) => ({
      x: x - RADIUS, y: y - RADIUS, width: 2 * RADIUS, height: 2 * RADIUS,
    }))];
    return points.map((point) => {
      const text = shorten(point.text, box.right - box.left < 500 ? 16 : 26);
      const found = firstFree(point, widthOf(text), box, taken);
      if (!found) return [];
      taken.push(found.place);
      const end = nearest(point, found.place);
      const line = found.distance > DISTANCES[1]
        ? [svg("line", { class: "leader", x1: point.x, y1: point.y, x2: end.x, y2: end.y })] : [];
      return [...line, svg("text", { x: found.place.x + 1, y: found.place.y + HEIGHT - 4 }, text)];
    });
  }

  return { placeLabels, widthOf };
});
