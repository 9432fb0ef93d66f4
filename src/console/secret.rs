//! Passwords, session keys and tokens: made at random, kept as hashes.

use std::fmt::Write as _;

use argon2::password_hash::{PasswordHash, PasswordHasher, PasswordVerifier, SaltString};
use argon2::{Algorithm, Argon2, Params, Version};
use sha2::{Digest, Sha256};

use super::Shelf;
use crate::store::{Account, Role};
use crate::time::EventTime;

/// The shortest password that is taken.
pub(super) const PASSWORD_CHARS_MIN: usize = 10;
/// The longest: hashing takes time with length.
pub(super) const PASSWORD_BYTES_MAX: usize = 1024;

/// Memory of a hash in KiB, passes and lanes: the least that OWASP recommends of Argon2id.
const COST: (u32, u32, u32) = (19_456, 2, 1);

/// The account that is made where there is none yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstLogin {
    /// Its name.
    pub user: String,
    /// Its password, which is kept nowhere else.
    pub password: String,
}

/// 32 random bytes as text: 256 bits.
pub(super) fn random_text() -> String {
    let mut bytes = [0; 32];
    // Without randomness nothing here would be secret; there is nothing to go on with.
    getrandom::fill(&mut bytes).expect("the system gives random bytes");
    hex(&bytes)
}

/// What is kept of a session key or a token. They are random enough that a plain hash tells nothing of them.
pub(super) fn hash_of(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

/// The hash of a password, in the PHC format. Takes tens of milliseconds on purpose.
pub(super) fn hash_password(password: &str) -> Result<String, String> {
    let mut salt = [0; 16];
    getrandom::fill(&mut salt).map_err(|error| error.to_string())?;
    let salt = SaltString::encode_b64(&salt).map_err(|error| error.to_string())?;
    let hash = hasher()?.hash_password(password.as_bytes(), &salt).map_err(|error| error.to_string())?;
    Ok(hash.to_string())
}

/// Whether it is this password. Without a hash, as long a time passes, so that it does not show who has an account.
pub(super) fn is_password(password: &str, hash: Option<&str>) -> Result<bool, String> {
    let Some(hash) = hash else {
        hash_password(password)?;
        return Ok(false);
    };
    let hash = PasswordHash::new(hash).map_err(|error| error.to_string())?;
    Ok(hasher()?.verify_password(password.as_bytes(), &hash).is_ok())
}

fn hasher() -> Result<Argon2<'static>, String> {
    let (memory_kib, passes, lanes) = COST;
    let params = Params::new(memory_kib, passes, lanes, None).map_err(|error| error.to_string())?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

/// Makes the first admin where there are no accounts.
pub(super) fn first_login(shelf: &Shelf, now: EventTime) -> Result<Option<FirstLogin>, String> {
    let password = random_text()[..20].to_owned();
    let first = FirstLogin { user: "admin".to_owned(), password };
    let account = Account {
        name: first.user.clone(),
        role: Role::Admin,
        password: hash_password(&first.password)?,
        made_at: now,
        made_by: "first start".to_owned(),
        changed_at: now,
    };
    let made =
        shelf.write_now(|store| if store.accounts()?.is_empty() { store.add_account(&account) } else { Ok(false) });
    Ok(made.map_err(|error| error.to_string())?.then_some(first))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_told_from_others() {
        let hash = hash_password("row, row, row").expect("a hash");
        assert!(hash.starts_with("$argon2id$v=19$m=19456,t=2,p=1$") && !hash.contains("row"));
        assert_eq!(is_password("row, row, row", Some(&hash)), Ok(true));
        assert_eq!(is_password("row, row", Some(&hash)), Ok(false));
        assert_eq!(is_password("row, row, row", None), Ok(false));
        assert_ne!(hash_password("row, row, row").expect("a hash"), hash);
    }
}
