//! The tests of the paper's studies, in one binary, as the library's and the command's are.

mod command;
mod list;
mod reinforcement;
mod shown;
mod skip_list;
mod story;
