//! Names beside their stations: no name over another, over a mark, or over a line.
//!
//! Every station has a list of places for its name that touch no line and no mark. Names are put down one after the other, those
//! with the fewest places first; one that finds no free place pushes others away, which then look for new ones. Each time a name is
//! pushed it becomes harder to push, so the search does not go round in circles.

mod forms;
mod places;

use std::collections::VecDeque;

use kaisatsu_model::Window;
use kaisatsu_railmap::Label;
use kaisatsu_transit::Network;

use crate::{
    draft::Draft,
    geometry::Point,
    scene::{Scene, stop_on},
    strokes,
};
pub(crate) use places::passes;
use places::{Ground, Place};

/// How much room a label takes.
pub(crate) type Measure<'a> = dyn Fn(&Label) -> (i32, i32) + 'a;

/// The space between two names.
const GAP: i64 = 2;

/// A name on the map.
#[derive(Debug, Clone)]
pub(crate) struct Written {
    pub(crate) label: Label,
    pub(crate) rect: Window,
}

/// Names for all stations; `None` for those that found no place.
pub(crate) fn write(
    network: &Network,
    scene: &Scene,
    second: bool,
    far: bool,
    measure: &Measure<'_>,
) -> Vec<Option<Written>> {
    let ground = Ground::of(scene);
    let forms: Vec<_> = network.stations.iter().map(|station| forms::forms(station, second, measure)).collect();
    let places: Vec<Vec<Place>> =
        scene.stops.iter().zip(&forms).map(|(stop, forms)| places::places(stop, forms, &ground, far)).collect();
    let chosen = Writing::new(scene, &places).solve();
    chosen
        .into_iter()
        .enumerate()
        .map(|(at, chosen)| {
            let place = &places[at][chosen?];
            Some(Written { label: forms[at][place.form].label.clone(), rect: place.rect })
        })
        .collect()
}

/// Moves stations without a place for their names a little along their links, to where there is one. Says whether any was moved.
#[expect(clippy::too_many_arguments, reason = "the whole state of the writing")]
pub(crate) fn nudge(
    network: &Network,
    scene: &Scene,
    draft: &Draft<'_>,
    troubled: &[usize],
    (cell, shift): (f64, Point),
    measure: &Measure<'_>,
    second: bool,
    nudges: &mut [f64],
) -> bool {
    let ground = Ground::of(scene);
    let middles = strokes::middles(draft, cell, shift);
    let mut moved = false;
    for &station in troubled {
        let Some((link, order)) = scene.stops[station].on else { continue };
        let forms = forms::forms(&network.stations[station], second, measure);
        let found = [0.1, -0.1, 0.2, -0.2, 0.3, -0.3, 0.4, -0.4].into_iter().find(|nudge| {
            let stop = stop_on(draft.skeleton, link, order, *nudge, &middles[link]);
            (*nudge - nudges[station]).abs() > 0.01 && !places::places(&stop, &forms, &ground, false).is_empty()
        });
        nudges[station] = found.unwrap_or(0.0);
        moved |= found.is_some();
    }
    moved
}

/// How many names overlap another, a mark or a stroke: counted on the finished map, name by name.
pub(crate) fn overlaps(scene: &Scene, written: &[Written]) -> usize {
    let ground = Ground::of(scene);
    let mut count = written.iter().filter(|one| !ground.is_clear(&one.rect)).count();
    let mut order: Vec<&Window> = written.iter().map(|one| &one.rect).collect();
    order.sort_by_key(|rect| (rect.x, rect.y));
    for (at, one) in order.iter().enumerate() {
        let near = order[at + 1..].iter().take_while(|two| two.x < one.right());
        count += near.filter(|two| two.y < one.bottom() && one.y < two.bottom()).count();
    }
    count
}

struct Writing<'a> {
    places: &'a [Vec<Place>],
    /// Stations next to each other on a link.
    beside: Vec<Vec<usize>>,
    chosen: Vec<Option<usize>>,
    /// What pushing a name away costs.
    firmness: Vec<f32>,
    shelves: Shelves,
}

impl<'a> Writing<'a> {
    fn new(scene: &Scene, places: &'a [Vec<Place>]) -> Self {
        let mut on_link: Vec<(usize, usize, usize)> = scene
            .stops
            .iter()
            .enumerate()
            .filter_map(|(at, stop)| stop.on.map(|(link, order)| (link, order, at)))
            .collect();
        on_link.sort_unstable();
        let mut beside = vec![Vec::new(); places.len()];
        for pair in on_link.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            beside[pair[0].2].push(pair[1].2);
            beside[pair[1].2].push(pair[0].2);
        }
        Self {
            places,
            beside,
            chosen: vec![None; places.len()],
            firmness: vec![4.0; places.len()],
            shelves: Shelves::new(places),
        }
    }

    fn solve(mut self) -> Vec<Option<usize>> {
        let mut order: Vec<usize> = (0..self.places.len()).filter(|&at| !self.places[at].is_empty()).collect();
        order.sort_by_key(|&at| (self.places[at].len(), at));
        let mut waiting: VecDeque<usize> = order.iter().copied().collect();
        let mut patience = order.len() * 40 + 2_000;
        while let Some(station) = waiting.pop_front() {
            if patience == 0 {
                break;
            }
            patience -= 1;
            let (place, pushed) = self.cheapest(station);
            for other in pushed {
                self.take_away(other);
                self.firmness[other] += 1.5;
                waiting.push_back(other);
            }
            self.put(station, place);
        }
        // What is still waiting gets a place only where it pushes nobody.
        for _ in 0..3 {
            for &station in &order {
                self.settle(station);
            }
        }
        self.chosen
    }

    /// The place with the least cost, counting those it pushes away.
    fn cheapest(&self, station: usize) -> (usize, Vec<usize>) {
        let mut best = (f32::MAX, 0, Vec::new());
        for (at, place) in self.places[station].iter().enumerate() {
            let mut cost = place.cost - self.harmony(station, place);
            if cost >= best.0 {
                continue;
            }
            let pushed = self.shelves.under(&place.rect, self.places, &self.chosen, station);
            cost += pushed.iter().map(|&other| self.firmness[other]).sum::<f32>();
            if cost < best.0 {
                best = (cost, at, pushed);
            }
        }
        (best.1, best.2)
    }

    /// Neighbours on a link look better with their names on the same side and in the same form.
    fn harmony(&self, station: usize, place: &Place) -> f32 {
        let alike = |other: &&usize| {
            self.chosen[**other].is_some_and(|chosen| {
                let there = &self.places[**other][chosen];
                there.side == place.side && there.down == place.down
            })
        };
        #[expect(clippy::cast_precision_loss, reason = "two neighbours at most")]
        let count = self.beside[station].iter().filter(alike).count() as f32;
        count * 0.6
    }

    /// Moves a name to a better free place, if there is one.
    fn settle(&mut self, station: usize) {
        let old = self.chosen[station];
        if old.is_some() {
            self.take_away(station);
        }
        let mut best: Option<(f32, usize)> = None;
        for (at, place) in self.places[station].iter().enumerate() {
            let cost = place.cost - self.harmony(station, place);
            if best.is_none_or(|(least, _)| cost < least)
                && self.shelves.under(&place.rect, self.places, &self.chosen, station).is_empty()
            {
                best = Some((cost, at));
            }
        }
        if let Some(at) = best.map(|(_, at)| at).or(old) {
            self.put(station, at);
        }
    }

    fn put(&mut self, station: usize, place: usize) {
        self.chosen[station] = Some(place);
        self.shelves.add(station, &self.places[station][place].rect);
    }

    fn take_away(&mut self, station: usize) {
        if let Some(place) = self.chosen[station].take() {
            self.shelves.remove(station, &self.places[station][place].rect);
        }
    }
}

/// Names by the squares of the map that they reach into.
struct Shelves {
    columns: i64,
    rows: i64,
    squares: Vec<Vec<u32>>,
}

const SQUARE: i64 = 64;

#[expect(clippy::cast_sign_loss, clippy::cast_possible_truncation, reason = "squares are clamped; stations are few")]
impl Shelves {
    fn new(places: &[Vec<Place>]) -> Self {
        let rects = || places.iter().flatten().map(|place| &place.rect);
        let columns = rects().map(Window::right).max().unwrap_or(0).max(0) / SQUARE + 1;
        let rows = rects().map(Window::bottom).max().unwrap_or(0).max(0) / SQUARE + 1;
        Self { columns, rows, squares: vec![Vec::new(); (columns * rows) as usize] }
    }

    fn squares(&self, rect: &Window) -> impl Iterator<Item = usize> + use<> {
        let (columns, rows) = (self.columns, self.rows);
        let span = |low: i64, high: i64, most: i64| {
            ((low - GAP) / SQUARE).clamp(0, most - 1)..=((high + GAP) / SQUARE).clamp(0, most - 1)
        };
        let across = span(rect.x, rect.right(), columns);
        span(rect.y, rect.bottom(), rows)
            .flat_map(move |row| across.clone().map(move |column| (row * columns + column) as usize))
    }

    fn add(&mut self, station: usize, rect: &Window) {
        for square in self.squares(rect) {
            self.squares[square].push(station as u32);
        }
    }

    fn remove(&mut self, station: usize, rect: &Window) {
        for square in self.squares(rect) {
            self.squares[square].retain(|&other| other as usize != station);
        }
    }

    /// The stations whose names a rect would overlap.
    fn under(&self, rect: &Window, places: &[Vec<Place>], chosen: &[Option<usize>], own: usize) -> Vec<usize> {
        let mut found = Vec::new();
        for square in self.squares(rect) {
            for &other in &self.squares[square] {
                let other = other as usize;
                if other == own || found.contains(&other) {
                    continue;
                }
                let Some(there) = chosen[other].map(|chosen| &places[other][chosen].rect) else { continue };
                let apart = rect.x >= there.right() + GAP
                    || there.x >= rect.right() + GAP
                    || rect.y >= there.bottom() + GAP
                    || there.y >= rect.bottom() + GAP;
                if !apart {
                    found.push(other);
                }
            }
        }
        found
    }
}
