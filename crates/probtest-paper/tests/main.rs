//! The tests of the paper's studies, in one binary, like those of the library and the command;
//! those of the list are separate.

mod command;
mod reinforcement;
mod shown;
mod skip_list;
mod story;
