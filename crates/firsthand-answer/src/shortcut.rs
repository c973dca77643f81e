//! Shortcut rules: templates of the addresses of detail pages, which an administrator registers.

/// The rules, in the order of their file.
#[derive(Clone, Debug, Default)]
pub struct Shortcuts {
    rules: Vec<Shortcut>,
}

/// One rule.
#[derive(Clone, Debug)]
pub struct Shortcut {
    /// Its name.
    pub name: String,
    /// The address with its slots, as `https://erp.example/orders/{order_no}`.
    pub template: String,
    /// When to use it, for the model.
    pub description: String,
    /// A value that the slots may have, as the address that it makes.
    pub example: Option<String>,
}

impl Shortcuts {
    /// The rules, in the order of their file.
    pub fn rules(&self) -> &[Shortcut] {
        &self.rules
    }

    /// The rule that an address follows.
    pub fn matching(&self, address: &str) -> Option<&Shortcut> {
        let _ = address;
        None
    }
}
