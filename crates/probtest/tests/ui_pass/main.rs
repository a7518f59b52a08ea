//! Everything that must compile, and pass: one file per kind of fact.
//!
//! The lints of a strict user are denied here, so a complaint about generated
//! code fails the build (`clippy`'s under `cargo clippy --all-targets`).

#![forbid(unsafe_code)]
#![deny(
    warnings,
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    unused_results,
    single_use_lifetimes,
    trivial_casts,
    let_underscore_drop,
    elided_lifetimes_in_paths,
    absolute_paths_not_starting_with_crate,
    non_ascii_idents,
    variant_size_differences,
    clippy::all,
    clippy::pedantic,
    clippy::cargo
)]
#![allow(clippy::cargo_common_metadata, clippy::multiple_crate_versions)]

mod attributes;
mod bodies;
mod claims;
pub mod names;
mod options;

#[cfg(feature = "tokio")]
mod async_bodies;
