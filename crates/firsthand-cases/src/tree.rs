//! A tree of runs as one list of items.

use firsthand::conversation::{Item, Seat};

/// A run of a tree: the place of the run that started it, who fills the user's place, and the name of the format.
#[derive(Clone, Debug)]
pub struct Run(pub Option<usize>, pub Seat, pub &'static str);

/// Runs, and their items in the order in which they were written, each with the place of its run.
#[derive(Clone, Debug)]
pub struct Tree {
    /// The runs.
    pub runs: Vec<Run>,
    /// The items of all runs.
    pub items: Vec<(usize, Item)>,
}

/// A run, and the number of an item in it.
pub type Place = (usize, usize);

impl Tree {
    /// The items with their places.
    pub fn places(&self) -> impl Iterator<Item = (Place, &Item)> {
        self.items.iter().enumerate().map(|(order, (run, item))| {
            let number = self.items.iter().take(order).filter(|(other, _)| other == run).count();
            ((*run, number), item)
        })
    }

    /// A run and those above it, nearest first.
    pub fn with_those_above(&self, run: usize) -> Vec<usize> {
        let above = |run: &usize| self.runs.get(*run).and_then(|Run(parent, ..)| *parent);
        std::iter::successors(Some(run), above).take(self.runs.len()).collect()
    }
}
