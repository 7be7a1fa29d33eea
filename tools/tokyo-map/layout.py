"""Plain placement: the geography, its dense centre opened up, then overlaps removed.

Each station is a circle and a name beside it. Positions are floats while the map relaxes and whole
numbers at the end; nothing here is random, so the same network gives the same map.
"""

import math
import unicodedata
from bisect import bisect_left

MARGIN = 20
GAP = 3  # between shapes of two stations; the check asks for 2
BESIDE = 3  # between a circle and its own name
LABEL_HEIGHT = 16
SIDES = ("right", "left", "below", "above")
OPEN_UP = 0.55  # share of the density-evened position in an axis; the rest is plain geography
BANDWIDTH = 0.035  # of the axis: how smooth the evening out is
BREADTH, HEIGHT = 4620, 3400  # what the geography is spread over before overlaps are removed


def label_width(name: str) -> int:
    return 4 + sum(12 if unicodedata.east_asian_width(c) in "FWA" else 7 for c in name)


def radius(station) -> int:
    return 6 if len(station.lines) > 1 else 4


def evened(values: list[float]) -> list[float]:
    """A smooth monotone map of one axis to 0..1 that gives crowded stretches more room."""
    low, span = min(values), max(values) - min(values)
    unit = [(v - low) / span for v in values]

    def rank(t: float) -> float:  # smoothed share of stations before t
        return math.fsum(0.5 * (1 + math.erf((t - u) / (BANDWIDTH * math.sqrt(2)))) for u in unit) / len(unit)

    first, last = rank(0), rank(1)
    return [(1 - OPEN_UP) * u + OPEN_UP * (rank(u) - first) / (last - first) for u in unit]


def boxes(x, y, r, width, side):
    """Bounding boxes (left, top, right, bottom) of the circle and of the name."""
    half = LABEL_HEIGHT // 2
    left, top = {
        "right": (x + r + BESIDE, y - half),
        "left": (x - r - BESIDE - width, y - half),
        "below": (x - width // 2, y + r + BESIDE),
        "above": (x - width // 2, y - r - BESIDE - LABEL_HEIGHT),
    }[side]
    return (x - r, y - r, x + r, y + r), (left, top, left + width, top + LABEL_HEIGHT)


def clash(a, b, gap=GAP):
    """How far two boxes reach into each other, per axis; None when they keep the gap."""
    dx = min(a[2], b[2]) - max(a[0], b[0]) + gap
    dy = min(a[3], b[3]) - max(a[1], b[1]) + gap
    return (dx, dy) if dx > 0 and dy > 0 else None


def crosses(box, p, q) -> bool:
    """Does the segment p–q pass through the box? (Liang–Barsky)"""
    t0, t1 = 0.0, 1.0
    for axis in (0, 1):
        d = q[axis] - p[axis]
        low, high = box[axis] - p[axis], box[axis + 2] - p[axis]
        if d == 0:
            if low > 0 or high < 0:
                return False
            continue
        a, b = sorted((low / d, high / d))
        t0, t1 = max(t0, a), min(t1, b)
        if t0 > t1:
            return False
    return True


class Layout:
    def __init__(self, network):
        self.codes = list(network.stations)
        stations = list(network.stations.values())
        self.name_width = [label_width(s.name) for s in stations]
        self.r = [radius(s) for s in stations]
        index = {c: i for i, c in enumerate(self.codes)}
        pairs = [(index[a], index[b]) for line in network.lines for a, b in line.edges()]
        self.edges = sorted({(min(p), max(p)) for p in pairs})
        north = math.cos(math.radians(35.68))
        self.geo = [(s.lon * north, -s.lat) for s in stations]
        xs, ys = evened([g[0] for g in self.geo]), evened([g[1] for g in self.geo])
        self.home = [(u * BREADTH, v * HEIGHT) for u, v in zip(xs, ys)]
        self.at = [list(p) for p in self.home]
        self.side = ["right"] * len(stations)

    def shapes(self, i):
        return boxes(*self.at[i], self.r[i], self.name_width[i], self.side[i])

    def near(self, reach=330):
        """Pairs of stations near enough to touch, in a fixed order."""
        order = sorted(range(len(self.at)), key=lambda i: (self.at[i][0], i))
        for k, i in enumerate(order):
            for j in order[k + 1:]:
                if self.at[j][0] - self.at[i][0] > reach:
                    break
                if abs(self.at[j][1] - self.at[i][1]) < 60:
                    yield i, j

    def spread(self, rounds=150, least=46.0, pull=0.03):
        """Keeps circles apart and every edge long enough, close to home otherwise."""
        for _ in range(rounds):
            move = [[0.0, 0.0] for _ in self.at]
            for i, (x, y) in enumerate(self.at):
                move[i] = [(self.home[i][0] - x) * pull, (self.home[i][1] - y) * pull]
            for i, j in self.near(reach=70):
                self.part(move, i, j, least)
            for i, j in self.edges:
                self.part(move, i, j, 60.0)
            self.off_lines(move)
            for i, (dx, dy) in enumerate(move):
                self.at[i][0] += dx
                self.at[i][1] += dy

    def part(self, move, i, j, least):
        dx, dy = self.at[j][0] - self.at[i][0], self.at[j][1] - self.at[i][1]
        far = math.hypot(dx, dy)
        if far >= least:
            return
        if far < 1e-6:
            dx, dy, far = 1.0, 0.0, 1.0
        push = 0.2 * (least - far) / far
        move[i][0] -= dx * push
        move[i][1] -= dy * push
        move[j][0] += dx * push
        move[j][1] += dy * push

    def off_lines(self, move, least=15.0):
        """Moves a circle off an edge that passes it without stopping there."""
        order = sorted(range(len(self.at)), key=lambda i: (self.at[i][0], i))
        xs = [self.at[i][0] for i in order]
        for a, b in self.edges:
            (ax, ay), (bx, by) = self.at[a], self.at[b]
            dx, dy = bx - ax, by - ay
            far = math.hypot(dx, dy)
            for i in order[bisect_left(xs, min(ax, bx) - least): bisect_left(xs, max(ax, bx) + least)]:
                px, py = self.at[i]
                if i in (a, b) or not min(ay, by) - least < py < max(ay, by) + least:
                    continue
                along = ((px - ax) * dx + (py - ay) * dy) / far
                off = ((px - ax) * dy - (py - ay) * dx) / far  # signed distance from the edge
                if not 0 < along < far or abs(off) >= least:
                    continue
                push = 0.15 * (least - abs(off)) * (1 if off >= 0 else -1)
                move[i][0] += push * dy / far
                move[i][1] -= push * dx / far

    def choose_sides(self):
        """Puts each name where it meets the fewest lines and neighbours; right of the circle if equal."""
        segments = [(tuple(self.at[i]), tuple(self.at[j]), i, j) for i, j in self.edges]
        for i in range(len(self.at)):
            x, y = self.at[i]
            others = [j for j in range(len(self.at))
                      if j != i and abs(self.at[j][0] - x) < 420 and abs(self.at[j][1] - y) < 70]
            around = [s for s in segments
                      if min(s[0][0], s[1][0]) < x + 220 and max(s[0][0], s[1][0]) > x - 220
                      and min(s[0][1], s[1][1]) < y + 40 and max(s[0][1], s[1][1]) > y - 40]
            best = None
            for rank, side in enumerate(SIDES):
                name = boxes(x, y, self.r[i], self.name_width[i], side)[1]
                hits = sum(1 for j in others for b in self.shapes(j) if clash(name, b))
                lines = sum(1 for p, q, _, _ in around if crosses(name, p, q))
                cost = 3 * hits + 4 * lines + 0.3 * rank
                if best is None or cost < best[0]:
                    best = (cost, side)
            self.side[i] = best[1]

    def separate(self, rounds, whole=False):
        """Pushes clashing stations apart along the cheaper axis. True when none clash any more."""
        for _ in range(rounds):
            clear = True
            for i, j in list(self.near()):
                for k, m in ((0, 0), (0, 1), (1, 0), (1, 1)):
                    a, b = self.shapes(i)[k], self.shapes(j)[m]
                    hit = clash(a, b)
                    if hit is None:
                        continue
                    clear = False
                    axis = 0 if hit[0] < hit[1] else 1
                    ahead = (a[axis] + a[axis + 2]) - (b[axis] + b[axis + 2])
                    sign = -1 if ahead < 0 or (ahead == 0 and i < j) else 1
                    step = math.ceil(hit[axis] / 2) if whole else hit[axis] / 2
                    self.at[i][axis] += sign * step
                    self.at[j][axis] -= sign * step
            if clear:
                return True
        return False

    def place(self):
        self.spread()
        for _ in range(6):
            self.choose_sides()
            self.separate(8)
        self.choose_sides()
        self.separate(400)
        self.at = [[round(x), round(y)] for x, y in self.at]
        if not self.separate(2000, whole=True):
            raise SystemExit("layout: overlaps remain")
        every = [b for i in range(len(self.at)) for b in self.shapes(i)]
        left, top = min(b[0] for b in every) - MARGIN, min(b[1] for b in every) - MARGIN
        self.at = [[x - left, y - top] for x, y in self.at]
        width = max(b[2] for b in every) - left + MARGIN
        height = max(b[3] for b in every) - top + MARGIN
        return width, height

    def faithful(self) -> float:
        """Share of edges whose left/right and above/below agree with the geography (small tilts aside)."""
        kept = total = 0
        for i, j in self.edges:
            for axis in (0, 1):
                was = self.geo[j][axis] - self.geo[i][axis]
                now = self.at[j][axis] - self.at[i][axis]
                if abs(was) > 0.0005:
                    total += 1
                    kept += was * now > 0
        return kept / total
