//! The trees that are in memory.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use tokio::sync::Mutex as Gate;

use crate::failure::Failure;
use crate::store::Millis;
use crate::tree::Tree;

/// A tree in memory.
#[derive(Debug)]
pub struct Cell {
    /// The id of the session at its top.
    pub id: String,
    /// Whose it is.
    pub tenant: String,
    tree: RwLock<Tree>,
    /// Whoever appends holds it, so that what this server appends has one order.
    pub gate: Gate<()>,
    /// Something may be durable that the tree does not hold: nothing is judged by it before that is read.
    behind: AtomicBool,
    /// How many events the kept snapshot was made of.
    pub snapshot: AtomicU64,
    expires: AtomicI64,
    used: AtomicU64,
}

impl Cell {
    /// A tree that nobody else knows. Whether more is durable has to be looked at.
    pub fn new(tenant: &str, id: &str, tree: Tree, expires: Millis) -> Self {
        Self {
            id: id.to_owned(),
            tenant: tenant.to_owned(),
            snapshot: AtomicU64::new(0),
            tree: RwLock::new(tree),
            gate: Gate::default(),
            behind: AtomicBool::new(true),
            expires: AtomicI64::new(expires),
            used: AtomicU64::new(0),
        }
    }

    /// The tree. A tree in whose midst a task died is not used.
    pub fn tree(&self) -> Result<RwLockReadGuard<'_, Tree>, Failure> {
        self.tree.read().map_err(|_| Failure::Lost)
    }

    /// The same, to change.
    pub fn tree_mut(&self) -> Result<RwLockWriteGuard<'_, Tree>, Failure> {
        self.tree.write().map_err(|_| Failure::Lost)
    }

    /// Whether it can be used.
    pub fn is_whole(&self) -> bool {
        !self.tree.is_poisoned()
    }

    /// Whether something may be durable that the tree does not hold.
    pub fn is_behind(&self) -> bool {
        self.behind.load(Ordering::Acquire)
    }

    /// Says so.
    pub fn set_behind(&self, behind: bool) {
        self.behind.store(behind, Ordering::Release);
    }

    /// When its time is over.
    pub fn expires(&self) -> Millis {
        self.expires.load(Ordering::Relaxed)
    }

    /// Its time is over later.
    pub fn keep_until(&self, expires: Millis) {
        self.expires.fetch_max(expires, Ordering::Relaxed);
    }

    fn bytes(&self) -> usize {
        self.tree().map_or(0, |tree| tree.bytes())
    }
}

/// The trees that are in memory.
#[derive(Debug, Default)]
pub struct Warm {
    trees: Mutex<Trees>,
    uses: AtomicU64,
}

#[derive(Debug, Default)]
struct Trees {
    by_id: HashMap<String, Arc<Cell>>,
    /// The tree of each session.
    of: HashMap<String, String>,
}

impl Warm {
    /// The tree of a tenant's session, if it is in memory.
    pub fn find(&self, tenant: &str, session: &str) -> Option<Arc<Cell>> {
        let trees = self.trees();
        let cell = trees.by_id.get(trees.of.get(session)?).filter(|cell| cell.tenant == tenant)?;
        cell.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Some(Arc::clone(cell))
    }

    /// Takes a tree in; gives the one that is there already where one is.
    pub fn take_in(&self, session: &str, cell: Arc<Cell>) -> Arc<Cell> {
        let mut trees = self.trees();
        trees.of.insert(session.to_owned(), cell.id.clone());
        let kept = trees.by_id.entry(cell.id.clone()).or_insert(cell);
        kept.used.store(self.uses.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        Arc::clone(kept)
    }

    /// Forgets a tree, if this very one is in memory.
    pub fn forget(&self, cell: &Arc<Cell>) {
        let mut trees = self.trees();
        if trees.by_id.get(&cell.id).is_some_and(|kept| Arc::ptr_eq(kept, cell)) {
            trees.by_id.remove(&cell.id);
            trees.of.retain(|_, tree| *tree != cell.id);
        }
    }

    /// Forgets the tree of this id.
    pub fn forget_tree(&self, id: &str) {
        let mut trees = self.trees();
        trees.by_id.remove(id);
        trees.of.retain(|_, tree| tree != id);
    }

    /// Lets trees go that nobody uses, the longest unused first, until the rest have no more than so many bytes of events.
    pub fn shrink(&self, most: usize) {
        let mut trees = self.trees();
        let mut bytes: usize = trees.by_id.values().map(|cell| cell.bytes()).sum();
        if bytes <= most {
            return;
        }
        let mut unused: Vec<(u64, String, usize)> = trees
            .by_id
            .values()
            .filter(|cell| Arc::strong_count(cell) == 1)
            .map(|cell| (cell.used.load(Ordering::Relaxed), cell.id.clone(), cell.bytes()))
            .collect();
        unused.sort_unstable();
        let mut gone = std::collections::HashSet::new();
        for (_, id, size) in unused {
            if bytes <= most {
                break;
            }
            bytes = bytes.saturating_sub(size);
            trees.by_id.remove(&id);
            gone.insert(id);
        }
        trees.of.retain(|_, tree| !gone.contains(tree));
    }

    /// How many trees are in memory, and how many bytes their events have.
    pub fn size(&self) -> (usize, usize) {
        let trees = self.trees();
        (trees.by_id.len(), trees.by_id.values().map(|cell| cell.bytes()).sum())
    }

    fn trees(&self) -> MutexGuard<'_, Trees> {
        self.trees.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
