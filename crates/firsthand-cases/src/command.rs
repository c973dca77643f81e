//! Answers of the command.
