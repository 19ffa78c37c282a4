//! What stands where a secret would: whether it is one, or only a name, a reference or a placeholder.

/// Whether a value is what manuals write in place of a secret.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let says = [
        "example",
        "placeholder",
        "changeme",
        "change-me",
        "change_me",
        "redacted",
        "xxxx",
        "dummy",
        "...",
        "…",
        "***",
        "•••",
        "insert-",
        "replace-",
    ];
    let begins = ["your", "<", "$", "{", "%", "[", "*"];
    let is = [
        "password",
        "passwd",
        "secret",
        "token",
        "key",
        "foo",
        "bar",
        "baz",
        "test",
        "none",
        "null",
        "nil",
        "true",
        "false",
        "string",
        "undefined",
        "value",
        "empty",
        "optional",
        "required",
        "hidden",
        "masked",
        "omitted",
    ];
    let first = value.chars().next();
    says.iter().any(|word| lower.contains(word))
        || begins.iter().any(|word| lower.starts_with(word))
        || is.contains(&lower.as_str())
        || value.chars().all(|c| Some(c) == first)
}

/// Whether a value names the place where a secret is, instead of being one.
pub(super) fn is_reference(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let begins = [
        "/",
        "./",
        "../",
        "~/",
        "$",
        "<",
        "{",
        "%",
        "[",
        "@",
        "#",
        "vault:",
        "env:",
        "file:",
        "ref:",
        "op:",
        "keychain:",
        "secret:",
        "enc[",
        "!",
    ];
    let files = [
        ".pem", ".key", ".json", ".txt", ".p12", ".pfx", ".gpg", ".env", ".yaml", ".yml", ".toml", ".md",
        ".kdbx",
    ];
    begins.iter().any(|begin| lower.starts_with(begin))
        || files.iter().any(|end| lower.ends_with(end))
        || lower.contains("://")
        || value.contains(['(', '\\'])
        || is_path_of_names(value)
        || is_name_of_secret(&lower)
        || is_constant(value)
        || is_ticket(value)
}

/// `import.meta.env.X`, `settings.api_key`.
fn is_path_of_names(value: &str) -> bool {
    let is_name = |name: &str| {
        name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'[' | b']' | b'"' | b'\''))
    };
    value.contains('.') && value.split('.').all(is_name)
}

/// `db_password`, `newPassword`: what a program calls it.
fn is_name_of_secret(lower: &str) -> bool {
    lower.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'))
        && ["password", "passwd", "secret", "token", "apikey", "api_key", "api-key"]
            .iter()
            .any(|word| lower.contains(word))
}

/// `DB_PASSWORD_2`.
fn is_constant(value: &str) -> bool {
    value.contains('_')
        && value.split('_').all(|part| !part.is_empty() && part.len() < 16)
        && value.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && value.starts_with(|c: char| c.is_ascii_uppercase())
}

/// `OPS-1234`.
fn is_ticket(value: &str) -> bool {
    value.split_once('-').is_some_and(|(project, number)| {
        (2..=10).contains(&project.len())
            && project.bytes().all(|byte| byte.is_ascii_uppercase())
            && (1..=6).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Whether a value looks drawn by a machine: letters with digits, or capitals where no word has them.
pub(super) fn is_drawn(value: &str) -> bool {
    let count = |is: fn(&u8) -> bool| value.bytes().filter(is).count();
    let (digits, upper, lower) =
        (count(u8::is_ascii_digit), count(u8::is_ascii_uppercase), count(u8::is_ascii_lowercase));
    let fits = value.bytes().all(|byte| byte.is_ascii_graphic());
    fits && (digits > 0 && upper + lower > 0 || upper * 4 >= value.len() && lower * 4 >= value.len())
}

/// Whether a value names an algorithm, a version, a date or a length.
pub(super) fn is_measure(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let named = [
        "sha1",
        "sha2",
        "sha3",
        "sha-",
        "md5",
        "argon2",
        "bcrypt",
        "scrypt",
        "pbkdf2",
        "oauth2",
        "base64",
        "base32",
        "aes",
        "rsa",
        "ed25519",
        "id_ed25519",
        "id_rsa",
        "x25519",
        "utf8",
        "utf-8",
        "fido2",
        "webauthn",
        "2fa",
        "mfa",
        "totp",
        "1password",
        "keepass",
        "bitwarden",
        "lastpass",
        "http",
        "tls1",
        "md4",
        "ntlm",
    ];
    let version =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let digits = lower.bytes().take_while(u8::is_ascii_digit).count();
    let unit = lower[digits..].trim_start_matches(['-', '+', ' ']);
    let date = lower.len() == 10
        && lower.bytes().filter(|byte| *byte == b'-').count() == 2
        && lower.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    named.iter().any(|name| lower.starts_with(name))
        || lower.strip_prefix('v').is_some_and(version)
        || lower.contains('.') && version(&lower)
        || date
        || (1..=5).contains(&digits) && is_unit(unit)
}

/// Whether a word is a unit of lengths and times, so that the number before it is no secret.
pub(super) fn is_unit(word: &str) -> bool {
    const UNITS: &str = "\
        characters character chars char letters letter digits digit words word bits bit bytes byte days day d \
        weeks months years hours h minutes min seconds s times attempts tries users accounts iterations rounds \
        entries symbols x th nd rd st";
    is_one_of(word, UNITS)
}

/// Whether a word is one of a list, case ignored.
pub(super) fn is_one_of(word: &str, words: &str) -> bool {
    words.split(' ').any(|known| known.eq_ignore_ascii_case(word))
}
