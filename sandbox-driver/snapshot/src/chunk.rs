//! A chunk as it is stored and sent: one byte for the form, four bytes for the length, then the content.
use crate::address::{Address, Tenant};

/// Largest content of a chunk, bytes.
pub const MOST: usize = 1024 * 1024;
/// Largest stored form of a chunk, bytes.
pub const MOST_STORED: usize = MOST + HEADER;
const HEADER: usize = 5;

/// zstd's fastest level that still halves source code.
const LEVEL: i32 = 1;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;

/// Why bytes are not the chunk with this address.
#[derive(Debug, thiserror::Error)]
pub enum ChunkError {
    #[error("the chunk {0} is damaged: it is cut off, or its form is unknown")]
    Form(Address),
    #[error("the chunk {0} is damaged: its content has another address")]
    Content(Address),
    #[error("the chunk {address} has {bytes} bytes, more than {MOST}")]
    TooLarge { address: Address, bytes: usize },
}

/// The stored form of a content. Content that does not shrink is stored as it is.
pub fn encode(content: &[u8]) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap_or(u32::MAX);
    let packed = zstd::bulk::compress(content, LEVEL).ok();
    let (form, body) = match &packed {
        Some(packed) if packed.len() < content.len() => (ZSTD, packed.as_slice()),
        _ => (PLAIN, content),
    };
    let mut stored = Vec::with_capacity(HEADER + body.len());
    stored.push(form);
    stored.extend_from_slice(&length.to_le_bytes());
    stored.extend_from_slice(body);
    stored
}

/// The parts of a stored form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parts<'a> {
    /// Bytes of the content.
    pub length: u32,
    /// Whether the body is compressed with zstd.
    pub packed: bool,
    pub body: &'a [u8],
}

/// Takes a stored form apart. It does not check the content; see [`decode`].
pub fn parts(stored: &[u8]) -> Option<Parts<'_>> {
    let (header, body) = stored.split_at_checked(HEADER)?;
    let packed = match header[0] {
        PLAIN => false,
        ZSTD => true,
        _ => return None,
    };
    Some(Parts {
        length: u32::from_le_bytes([header[1], header[2], header[3], header[4]]),
        packed,
        body,
    })
}

/// The content of a stored chunk, checked against its address. It never takes more memory than [`MOST`].
///
/// # Errors
/// [`ChunkError`].
pub fn decode(tenant: &Tenant, address: Address, stored: &[u8]) -> Result<Vec<u8>, ChunkError> {
    let parts = parts(stored).ok_or(ChunkError::Form(address))?;
    let bytes = usize::try_from(parts.length).unwrap_or(usize::MAX);
    if bytes > MOST {
        return Err(ChunkError::TooLarge { address, bytes });
    }
    let content = match parts.packed {
        false => parts.body.to_vec(),
        true => zstd::bulk::decompress(parts.body, bytes).map_err(|_| ChunkError::Form(address))?,
    };
    if content.len() != bytes {
        return Err(ChunkError::Form(address));
    }
    if tenant.address(&content) != address {
        return Err(ChunkError::Content(address));
    }
    Ok(content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant() -> Tenant {
        Tenant::of(uuid::Uuid::nil())
    }

    #[test]
    fn chunk_reads_back_and_shrinks_when_it_can() {
        for content in [vec![], b"x".to_vec(), vec![7; MOST], (0..=255).collect()] {
            let stored = encode(&content);
            assert!(stored.len() <= content.len() + HEADER);
            let address = tenant().address(&content);
            assert_eq!(decode(&tenant(), address, &stored).unwrap(), content);
        }
    }

    #[test]
    fn damaged_chunk_is_refused() {
        let content = vec![9; 4096];
        let address = tenant().address(&content);
        let stored = encode(&content);
        for cut in 0..stored.len() {
            assert!(decode(&tenant(), address, &stored[..cut]).is_err(), "{cut}");
        }
        for at in 0..stored.len() {
            let mut changed = stored.clone();
            changed[at] ^= 1;
            // A change that decompresses to the same content is not damage.
            if let Ok(read) = decode(&tenant(), address, &changed) {
                assert_eq!(read, content);
            }
        }
        assert!(decode(&tenant(), tenant().address(b"other"), &stored).is_err());
    }

    #[test]
    fn chunk_that_claims_a_large_length_is_refused() {
        let address = tenant().address(b"");
        let mut bomb = encode(&vec![0; MOST]);
        bomb[1..5].copy_from_slice(&u32::MAX.to_le_bytes());
        let refused = decode(&tenant(), address, &bomb);
        assert!(matches!(refused, Err(ChunkError::TooLarge { .. })));
    }
}
