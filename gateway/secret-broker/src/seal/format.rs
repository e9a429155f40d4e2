//! The byte format of a sealed record: fixed positions and lengths, so that a record has exactly one encoding.

use roost_secret_broker::wire::RecordName;

use super::SealError;
use super::cipher::NONCE;

const MAGIC: &[u8; 8] = b"ROOSTSB1";
/// Bytes of the tag, the minimum after the head.
const TAG: usize = 16;

/// Everything before the ciphertext.
#[derive(Debug, PartialEq, Eq)]
pub struct Header<'a> {
    pub name: RecordName,
    pub generation: u64,
    /// Id of the root key that wrapped the data key.
    pub root_key: String,
    pub wrapped: &'a [u8],
    pub nonce: [u8; NONCE],
    /// Bytes of the context, from the beginning.
    pub context: usize,
    /// Bytes of the whole head.
    pub length: usize,
}

/// Magic, name and generation: the data key is bound to these.
pub fn context(name: &RecordName, generation: u64) -> Vec<u8> {
    let mut bytes = MAGIC.to_vec();
    put(&mut bytes, name.tenant().as_bytes());
    put(&mut bytes, name.connection().as_bytes());
    bytes.extend_from_slice(&generation.to_be_bytes());
    bytes
}

/// Encodes the whole head.
pub(super) fn head(
    context: &[u8],
    root_key: &str,
    wrapped: &[u8],
    nonce: &[u8; NONCE],
) -> Result<Vec<u8>, SealError> {
    if root_key.len() > 255 || wrapped.len() > 4096 {
        return Err(SealError::Format("the root key's answer is too long"));
    }
    let mut bytes = context.to_vec();
    put(&mut bytes, root_key.as_bytes());
    put(&mut bytes, wrapped);
    bytes.extend_from_slice(nonce);
    Ok(bytes)
}

/// Parses the head without any key.
///
/// # Errors
/// [`SealError::Format`].
pub fn parse(sealed: &[u8]) -> Result<Header<'_>, SealError> {
    let mut rest = sealed
        .strip_prefix(MAGIC)
        .ok_or(SealError::Format("it has another magic number"))?;
    let tenant = text(&mut rest)?;
    let connection = text(&mut rest)?;
    let name = RecordName::new(tenant, connection)
        .map_err(|_| SealError::Format("its name is not valid"))?;
    let generation = u64::from_be_bytes(array(&mut rest)?);
    let context = sealed.len() - rest.len();
    let root_key = text(&mut rest)?;
    let wrapped = piece(&mut rest)?;
    let nonce = array(&mut rest)?;
    if rest.len() < TAG {
        return Err(SealError::Format("it is cut off"));
    }
    Ok(Header {
        name,
        generation,
        root_key,
        wrapped,
        nonce,
        context,
        length: sealed.len() - rest.len(),
    })
}

fn put(bytes: &mut Vec<u8>, part: &[u8]) {
    let length = u16::try_from(part.len()).expect("every part is checked to be short");
    bytes.extend_from_slice(&length.to_be_bytes());
    bytes.extend_from_slice(part);
}

fn piece<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], SealError> {
    let length = usize::from(u16::from_be_bytes(array(rest)?));
    let (piece, after) = rest
        .split_at_checked(length)
        .ok_or(SealError::Format("it is cut off"))?;
    *rest = after;
    Ok(piece)
}

fn text(rest: &mut &[u8]) -> Result<String, SealError> {
    let bytes = piece(rest)?.to_vec();
    String::from_utf8(bytes).map_err(|_| SealError::Format("a name is not UTF-8 text"))
}

fn array<const N: usize>(rest: &mut &[u8]) -> Result<[u8; N], SealError> {
    let (array, after) = rest
        .split_first_chunk::<N>()
        .ok_or(SealError::Format("it is cut off"))?;
    *rest = after;
    Ok(*array)
}
