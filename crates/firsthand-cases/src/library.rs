//! Answers of the library.
