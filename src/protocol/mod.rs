//! The wire types of the protocol: what is said, not what is done.
