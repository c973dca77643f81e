//! Icons of sites, from one fixed service, for hosts that stood in search or extraction results.

/// Where icons come from.
#[derive(Debug, Default)]
pub struct Icons {}
