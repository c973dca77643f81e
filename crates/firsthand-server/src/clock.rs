//! What time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::store::Millis;

/// Milliseconds since 1970 (UTC), as the machine says. It may jump: what must not go back is held by whoever needs it.
pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis::try_from(since.as_millis()).unwrap_or(Millis::MAX)
}

/// Seconds of milliseconds, rounded down.
pub fn seconds(millis: Millis) -> i64 {
    millis.div_euclid(1000)
}
