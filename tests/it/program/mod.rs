//! The program: command line, start and stop, files on the disk, support, the guides.

pub mod cli;
mod guide;
mod names;
mod private_files;
mod starting;
mod support;
