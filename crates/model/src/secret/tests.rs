//! The table of what is caught and of what must pass. Every secret in it is made up.

use super::{SecretKind, find_secret};

#[track_caller]
fn check(texts: &[&str], expected: Option<SecretKind>) {
    let wrong: Vec<_> =
        texts.iter().map(|text| (text, find_secret(text))).filter(|(_, found)| *found != expected).collect();
    assert!(wrong.is_empty(), "expected {expected:?}: {wrong:#?}");
}

#[test]
fn keys_are_known_by_their_shape() {
    check(
        &[
            "The key is sk-Zt4vB9qLm2Xc7Wd1Rf6Tg8Yh3Uj5Ik0OpAsDfGhJ",
            "sk-proj-a8Kd_92jfLs03nVbQpR7tYwXzC5mEhGu1iO4-AbCdEfGh",
            "sk-ant-api03-Qm7wPz2Lk9Rt4Vx8Nb3Jc6Hd-5Fg1Ys0AaEeUuIi",
            "export OPENAI_API_KEY=sk-Zt4vB9qLm2Xc7Wd1Rf6Tg8Yh3Uj5Ik0OpAsDfGhJ",
            "密钥是sk-Zt4vB9qLm2Xc7Wd1Rf6Tg8Yh3Uj5Ik0OpAsDfGhJ",
            "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "https://ghp_16C7e42F292c6912E7710c838347Ae178B4a@github.com/o/r",
            "gho_16C7e42F292c6912E7710c838347Ae178B4a and more",
            "github_pat_11ABCDEFG0aBcDeFgHiJkL_mNoPqRsTuVwXyZ0123456789",
            "glpat-x7Kd92jfLs03nVbQpR7t",
            "AWS uses AKIAQ7ZT3WV5KJ2MNB4X here",
            "(AKIAQ7ZT3WV5KJ2MNB4X)",
            "xoxb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx",
            "AIzaSyD4x7Kd92jfLs03nVbQpR7tYwXzC5mEhGu",
            "Stripe: sk_live_4eC39HqLyjWDarjtT1zdp7dc",
            "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",
            "The bot's token: 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawK",
            "npm_Zt4vB9qLm2Xc7Wd1Rf6Tg8Yh3Uj5Ik0OpAsD",
        ],
        Some(SecretKind::Key),
    );
    check(
        &[
            "Documentation uses AKIAIOSFODNN7EXAMPLE",
            "Set OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxx",
            "Set the key to sk-your-key-goes-here-please-now",
            "keys begin with sk- or sk-proj-",
            "sk-learn-pipeline-with-many-steps-and-names",
            "task-0123456789abcdef01234567 is done",
            "risk-assessment-2026-for-the-harbour-project",
            "ghp_ is the prefix of GitHub's tokens",
            "AKIA followed by 16 capitals",
            "BAKIAQ7ZT3WV5KJ2MNB4X",
            "hf_hub_download is slow",
            "xoxb-your-token",
            "disk-sk-0123",
            "The branch is feature/sk-button-2026",
        ],
        None,
    );
}

#[test]
fn private_keys_are_caught_and_public_ones_are_not() {
    check(
        &[
            "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEAx7Kd92jfLs03nVbQpR7tYwXzC5mEhGu1\n-----END RSA PRIVATE KEY-----",
            "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAA",
            r#"{"private_key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\n-----END PRIVATE KEY-----\n"}"#,
            "-----BEGIN PRIVATE KEY-----\nMIIEvQ...\n-----END PRIVATE KEY-----",
        ],
        Some(SecretKind::PrivateKey),
    );
    check(
        &[
            "A file that begins with -----BEGIN RSA PRIVATE KEY----- is a key",
            "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEAx7Kd92jfLs03nVbQpR7tY\n-----END PUBLIC KEY-----",
            "-----BEGIN CERTIFICATE-----\nMIIDdzCCAl2gAwIBAgIEAgAAuTANBgkqhkiG9w0BAQUFADBaMQswCQYDVQQGEwJJ\n-----END CERTIFICATE-----",
            "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx7Kd92jfLs03nVbQpR7tYwXzC5mEhGu1iO4AbCdEf ann@box",
            "The host key is SHA256:nThbg6kXUpJWGl7E1IGOCspRomTxdCARLviKw6E5SY8",
        ],
        None,
    );
}

#[test]
fn signed_tokens_and_headers_are_caught() {
    let jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";
    check(&[jwt, &format!("Cookie: session={jwt}")], Some(SecretKind::SignedToken));
    check(
        &[
            "Authorization: Bearer 9f8b7c6d5e4f3a2b1c0d",
            "curl -H 'Authorization: Bearer x7Kd92jfLs03nVbQpR7t' https://api.test",
            "authorization: Basic dXNlcjpwYXNzd29yZA==",
            r#""Authorization": "Token 7d92jfls03nvbqpr7t""#,
        ],
        Some(SecretKind::Authorization),
    );
    check(
        &[
            "JWTs begin with eyJhbGciOi...",
            "Authorization: Bearer <token>",
            "Authorization: Bearer $TOKEN",
            "Authorization: Bearer YOUR_API_TOKEN_1",
            "Authorization: Bearer ${process.env.TOKEN2}",
            "The API wants an Authorization: Bearer header",
            "authorization is done by OAuth2 and bearer tokens",
        ],
        None,
    );
}

#[test]
fn a_password_given_as_one_is_caught() {
    check(
        &[
            "the root password is hunter2",
            "The root password is Tr0ub4dor&3 on all boxes",
            "The root password is swordfish",
            "the password is \"swordfish\".",
            "the password for the NAS in the cellar is tulip77",
            "password for the wifi: tulip77",
            "Password (root): tulip77",
            "password: hunter2",
            "WiFi password: sunflower",
            "Password: correct-horse-battery-staple",
            "The passphrase is \"correct horse battery staple\"",
            "password=hunter2",
            "DB_PASSWORD=s3cr3tpw",
            "DB_PASS=tulip77",
            "mysql --password=tulipan -u root",
            r#"{"user": "ann", "password": "hunter2"}"#,
            "password was changed to hunter3",
            "The admin password is now Summer2026!",
            "logs in as admin, password hunter22",
            "uses hunter2 as the password",
            "Uses tulip as the root password everywhere",
            "Ann uses \"blue moon 7\" as her password",
            "hunter2 is the admin password",
            "Das Passwort ist tulpe77",
            "密码是abc12345",
            "密码：abc12345",
            "postgres://app:h4rb0ur@db.internal/app",
            "The password is 123456",
            "PIN is 4711",
            "The PIN for the door is 4711.",
            "PIN: 4711",
            "her PIN 4711 opens it",
            "uses 4711 as the PIN",
            "pin code 0042",
        ],
        Some(SecretKind::Password),
    );
}

#[test]
fn talk_about_passwords_passes() {
    check(
        &[
            "The word secret is fine",
            "Uses a password manager",
            "Uses KeePass as the password manager",
            "The password manager is KeePass2",
            "The password policy is 12 characters",
            "Password policy: at least 12 characters",
            "password: at least 12 characters, one digit",
            "The password is stored in KeePass",
            "The password is in 1Password",
            "The root password is unknown",
            "The password is compromised.",
            "The password is case-sensitive.",
            "the password is 12 characters long",
            "The password is 90 days old",
            "The password reset is https://example.com/reset1",
            "Password hashes use argon2id",
            "uses argon2id as the password hash",
            "password = argon2",
            "password_hash=5f4dcc3b5aa765d61d8327deb882cf99",
            "password_file=/run/secrets/db2",
            "password: ${DB_PASSWORD_1}",
            "password=$PASSWORD",
            "password=<your password>",
            "connect(user=user, password=password)",
            "connect(user=user, password=settings.db_password)",
            "password=os.environ[\"PW2\"]",
            "const password = getPassword()",
            "<input type=password name=pw>",
            "postgres://user:password@localhost/db",
            "postgres://postgres:postgres@localhost/db",
            "https://example.com/a:b@c",
            "No password is needed",
            "Password: required",
            "Passwordless login since 2026",
            "Forgot password v2 flow",
            "The password was changed on 2026-11-06",
            "Resets the password in May 2026",
            "Security is the password team's job",
            "Pinned to version 1234",
            "Soldered to pin 13 of the board",
            "GPIO pin 1234x",
            "PIN is 6 digits",
            "PIN has 4-6 digits",
            "The pin: numpy==1.26",
            "Prefers passkeys to passwords",
            "passes 12345 tests",
            "pass: the ball to Ann2000",
            "Uses the same password in three places",
        ],
        None,
    );
}

#[test]
fn keys_and_tokens_under_their_label_are_caught() {
    check(
        &[
            "api_key: 7d92jfls03nv",
            "apiKey=x7Kd92jfLs03",
            "The API key is 550e8400-e29b-41d4-a716-446655440000",
            "client_secret: \"x7Kd92~jfLs03nVb\"",
            "aws_secret_access_key = wJalrXUtnFEMIK7MDENGbPxRfiCYzz1234567890",
            "token: 5d41402abc4b2a76b9719d911017c592",
            "https://api.test/v1?access_token=x7Kd92jfLs03nV",
        ],
        Some(SecretKind::Key),
    );
    check(
        &[
            "apiKey: import.meta.env.X",
            "apiKey: import.meta.env.VITE_API_KEY_2",
            "api_key = os.getenv('KEY2')",
            "const apiKey = process.env.API_KEY2;",
            "api key: see OPS-1234",
            "The API key is kept in the vault2",
            "private key: ~/.ssh/id_ed25519",
            "private key is id_ed25519",
            "private key: server-2026-key.pem",
            "encryption key is AES256",
            "signing key: ed25519",
            "secret santa 2026 is on Friday",
            "secret: he likes cats",
            "token: 5 per request",
            "token limit is 128k",
            "max_token=4096",
            "token_count=123456789012345678",
            "the next-page token is opaque",
            "public key: x7Kd92jfLs03nVb",
            "The cache key is user_42_v2_2026",
            "aws_access_key_id = AKIAIOSFODNN7EXAMPLE",
        ],
        None,
    );
}

#[test]
fn numbers_are_caught_under_their_label() {
    check(
        &[
            "credit card 4111 1111 1111 1111",
            "The card number is 5500-0000-0000-0004.",
            "card 4111111111111111 expires 12/27",
            "Kreditkarte: 4111 1111 1111 1111",
            "CVV 123",
            "My SSN is 123-45-6789",
            "Social security number: 123 45 6789",
            "passport number X1234567",
            "Passport: C01X00T47",
            "ID number: 8001015009087",
            "national ID 19800101-1234",
            "IBAN DE89 3704 0044 0532 0130 00",
            "身份证号：11010519491231002X",
            "Personalausweisnummer: 1220001518",
        ],
        Some(SecretKind::Number),
    );
    check(
        &[
            "The card ends in 4242",
            "SD card 128 GB",
            "graphics card RTX 4090",
            "card 1234567890123456 of the deck",
            "passport expires 2031-04-01",
            "Renewed the passport in 2026",
            "order ID number: 123456789",
            "the issue's id number 1234567",
            "The ID card is in the drawer",
            "chat ID 123456789",
            "user id: 1234567",
            "Fixed CVE-2026-12345",
            "Phone: +49 170 1234567",
            "SSN fields are masked",
        ],
        None,
    );
}

#[test]
fn a_long_mixed_run_is_caught_outside_links() {
    check(
        &[
            "x7Kd92jfLs03nVbQpR7tYwXzC5mEhGu1",
            "Remember x7Kd92jfLs03nVbQpR7tYwXzC5mEhGu1iO4 for later",
            "k2j4h5g6f7d8s9a0q1w2e3r4t5y6u7i8o9p0z",
            "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXQ",
        ],
        Some(SecretKind::Random),
    );
    check(
        &[
            "Reverted 1d8a3c5f0e9b7a6c4d2e8f1a3b5c7d9e0f2a4b6c",
            "sha256 e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
            "md5 d41d8cd98f00b204e9800998ecf8427e",
            "UUID 550e8400-e29b-41d4-a716-446655440000",
            "550e8400e29b41d4a716446655440000",
            "aW1hZ2VfMjAyNi0xMS0zMF9zY3JlZW5zaG90LnBuZw==",
            "Image c2NyZWVuc2hvdC1vZi10aGUtaGFyYm91ci0yMDI2LnBuZw",
            "https://docs.test/d/x7Kd92jfLs03nVbQpR7tYwXzC5mEhGu1iO4/edit",
            "[sheet](https://docs.test/d/x7Kd92jfLs03nVbQpR7tYwXzC5mEhGu1iO4)",
            "sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==",
            "/nix/store/0c8s4m2x9v7k1q3w5r6y8z0b2d4f6g8h-hello-2.12",
            "screenshot20261130141502window1920x1080png",
            "AbstractUserAuthenticationProvider2FactoryBean",
            "getUserByIdAndNameOrEmail2FactorStatusForOrganisation",
            "abcdefghijklmnopqrstuvwxyz0123456789",
            "20261130141502202611301415022026113014150220",
            "00000000000000000000000000000000000000a1",
            "Donaudampfschifffahrtsgesellschaftskapitaen",
            "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
        ],
        None,
    );
}

#[test]
fn ordinary_memories_pass() {
    check(
        &[
            "",
            "tea",
            "Likes tea",
            "Ships on Tuesdays",
            "Uses port 8080",
            "Box runs Debian 13",
            "Prefers pnpm\nnot npm",
            "Timezone is Europe/Berlin, works 9-17",
            "Release 2026.11.30 went out, see PR #12345",
            "Router: 192.168.178.1, MAC aa:bb:cc:dd:ee:ff",
            "Runs on aarch64-unknown-linux-gnu with glibc 2.36",
            "Key insight: the cache key is (user, day)",
            "The key to the garden shed hangs left",
            "Order 12-345-6789 arrives on 2026-12-01",
            "cargo test --package memlore-model --lib secret::tests",
            "喜欢喝茶，住在柏林",
            "Schlüssel liegt unter der Matte",
            "Secretary is Ms Token; passes on every PIN",
        ],
        None,
    );
}

#[test]
fn any_text_has_an_answer() {
    let marks = [
        "password",
        "is",
        "=",
        ":",
        "\"",
        "(",
        ")",
        "é",
        "密码",
        " ",
        "-----BEGIN ",
        "PRIVATE KEY",
        "://",
        "@",
        "sk-",
        "card",
        "4111 1111",
        "as the",
        "\n",
    ];
    for a in marks {
        for b in marks {
            for c in marks {
                for d in ["x", "…"] {
                    find_secret(&format!("{a}{b}{c}{d}"));
                    find_secret(&format!("{d}{a} {b}{c}"));
                }
            }
        }
    }
}

#[test]
fn neighbours_are_told_apart() {
    let wrong: Vec<_> = include_str!("table.txt")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(wanted, text)| (wanted == "+", text, find_secret(&text.replace("\\n", "\n"))))
        .filter(|(caught, _, found)| *caught != found.is_some())
        .collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}
