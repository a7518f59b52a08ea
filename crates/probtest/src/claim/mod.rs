//! claim
