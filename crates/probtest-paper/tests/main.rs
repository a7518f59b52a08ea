//! The tests of the paper's studies, in one binary, as the library's and the command's are; those of
//! the list are on their own.

mod command;
mod reinforcement;
mod shown;
mod skip_list;
mod story;
