//! Holds a list back until it is known whether it is the one that the host has: then one byte is enough.
use std::io::{self, Write};

use roost_protocol::guest::listing::UNCHANGED;

/// A longer list is passed on while it is made: the memory is the sandbox's own.
const MOST: usize = 4 << 20;

/// See the module.
pub struct Held<W> {
    out: W,
    /// The hash of the list that the host has, in hex digits.
    known: Option<String>,
    hash: blake3::Hasher,
    held: Vec<u8>,
    passing: bool,
}

impl<W: Write> Held<W> {
    /// Without a known hash everything is passed on at once.
    pub fn new(out: W, known: Option<String>) -> Self {
        Self {
            out,
            passing: known.is_none(),
            known,
            hash: blake3::Hasher::new(),
            held: Vec::new(),
        }
    }

    /// Writes what is held, or one byte when all of it is known. `told` is the rest of what the host hashes.
    ///
    /// # Errors
    /// When the output cannot be written.
    pub fn finish(mut self, told: &str) -> io::Result<()> {
        self.hash.update(told.as_bytes());
        let is_known =
            !self.passing && self.known.as_deref() == Some(self.hash.finalize().to_hex().as_str());
        match is_known {
            true => self.out.write_all(&[UNCHANGED])?,
            false => self.out.write_all(&self.held)?,
        }
        self.out.flush()
    }
}

impl<W: Write> Write for Held<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.passing && self.held.len() + bytes.len() > MOST {
            self.out.write_all(&self.held)?;
            self.held = Vec::new();
            self.passing = true;
        }
        if self.passing {
            return self.out.write(bytes);
        }
        self.hash.update(bytes);
        self.held.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(list: &[u8], told: &str, known: Option<String>) -> Vec<u8> {
        let mut out = Vec::new();
        let mut held = Held::new(&mut out, known);
        for part in list.chunks(1000) {
            held.write_all(part).unwrap();
        }
        held.finish(told).unwrap();
        out
    }

    fn hash(list: &[u8], told: &str) -> Option<String> {
        let mut hash = blake3::Hasher::new();
        hash.update(list).update(told.as_bytes());
        Some(hash.finalize().to_hex().to_string())
    }

    #[test]
    fn known_list_is_one_byte_and_every_other_one_is_whole() {
        let (list, told) = (vec![5; 2500], "a line\n");
        assert_eq!(written(&list, told, hash(&list, told)), [UNCHANGED]);
        assert_eq!(written(&list, "", hash(&list, told)), list);
        assert_eq!(written(&list[1..], told, hash(&list, told)), list[1..]);
        assert_eq!(written(&list, told, None), list);
        // An empty list is not the same as no change.
        assert!(written(&[], "", None).is_empty());
        assert_eq!(written(&[], "", hash(&[], "")), [UNCHANGED]);
    }

    #[test]
    fn list_that_is_too_long_to_hold_is_whole() {
        let list = vec![5; MOST + 1];
        assert_eq!(written(&list, "", hash(&list, "")), list);
    }
}
