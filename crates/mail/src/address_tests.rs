//! What is a mailbox, in any script, and which of them are one.

use super::*;
use proptest::prelude::*;

fn address(text: &str) -> Address {
    Address::parse(text).unwrap_or_else(|_| panic!("{text}"))
}

#[test]
fn addresses_of_any_script_are_read() {
    for good in [
        "пример@почта.example",
        "δοκιμή@παράδειγμα.example",
        "उदाहरण@डाक.example",
        "测试@邮件.example",
        "مثال@بريد.example",
        "דוגמה@דואר.example",
        "jose\u{301}@example.org",
        "alice@bücher.example",
        "игры+b2k-abc@почта.example",
        "田中taro@例え.example",
    ] {
        assert_eq!(address(good).as_str(), good);
    }
    for bad in [
        "\u{430}lice@example.org",
        "alice@ex\u{430}mple.org",
        "alice@\u{200b}example.org",
        "alice@exa\u{ad}mple\u{200d}é.org",
        "al\u{200b}ice@example.org",
        "\u{202e}alice@example.org",
        "alice@☃.example",
        "alice@почта..example",
        "alice@-почта.example",
        "alice@a\u{2100}b.example",
        "alice\u{ff20}bank.example@evil.example",
        "п\u{a0}@почта.example",
        "п\n@почта.example",
    ] {
        assert_eq!(Address::parse(bad), Err(BadAddress), "{bad}");
    }
}

#[test]
fn spellings_of_one_mailbox_are_one_and_look_alikes_are_not() {
    for (one, other) in [
        ("пример@почта.example", "ПРИМЕР@ПОЧТА.example"),
        ("пример@почта.example", "пример@XN--80A1ACNY.example"),
        ("jos\u{e9}@example.org", "JOSE\u{301}@example.org"),
        ("οδος@example.org", "ΟΔΟΣ@example.org"),
        ("a@bücher.example", "A@BU\u{308}CHER.EXAMPLE"),
        ("a@b.example", "a@ｂ。example"),
    ] {
        assert_eq!(address(one).key(), address(other).key(), "{one} {other}");
    }
    for (one, other) in [
        ("сосо@example.org", "coco@example.org"),
        ("jos\u{e9}@example.org", "jose@example.org"),
        ("straße@example.org", "strasse@example.org"),
        ("ı@example.org", "i@example.org"),
        ("a@сосо.example", "a@coco.example"),
    ] {
        assert_ne!(address(one).key(), address(other).key(), "{one} {other}");
    }
}

#[test]
fn a_domain_in_another_script_goes_out_in_ascii() {
    let bob = address("bob@Почта.example");
    assert!(!bob.needs_utf8());
    assert_eq!(bob.on_the_wire(), "bob@xn--80a1acny.example");
    let ivan = address("иван@почта.example");
    assert!(ivan.needs_utf8());
    assert_eq!(ivan.on_the_wire(), "иван@почта.example");
    assert_eq!(address("Bob@Example.ORG").on_the_wire(), "Bob@Example.ORG");
}

#[test]
fn an_address_is_shown_apart_and_with_its_scripts() {
    for (text, shown) in [
        ("alice@example.org", "alice@example.org"),
        ("jos\u{e9}@example.org", "jos\u{e9}@example.org"),
        ("сосо@example.org", "сосо@example.org [Cyrillic]"),
        ("דוגמה@example.org", "\u{2068}דוגמה@example.org\u{2069} [Hebrew]"),
    ] {
        assert_eq!(address(text).with_scripts(), shown);
    }
}

proptest! {
    /// Also its key is one, unless letters became longer by their lower case.
    #[test]
    fn an_address_is_its_own_spelling(
        local in "[a-zA-Zа-яА-ЯάΣςאبडé日İ\u{300}-\u{30a}.+-]{1,12}",
        domain in "[a-zA-Zа-яßςאبड日\u{300}-\u{303}.-]{1,12}",
    ) {
        if let Ok(address) = Address::parse(&format!("{local}@{domain}")) {
            prop_assert_eq!(Address::parse(address.as_str()), Ok(address.clone()));
            let key = Address::parse(&address.key()).unwrap();
            prop_assert_eq!(key.key(), address.key());
            prop_assert!(address.ascii_domain().is_ascii());
            prop_assert!(address.needs_utf8() || address.on_the_wire().is_ascii());
            prop_assert_eq!(Address::parse(&address.to_string().replace(['\u{2068}', '\u{2069}'], "")), Ok(address));
        }
    }

    #[test]
    fn any_text_is_read(text in "\\PC{0,20}@\\PC{0,20}", raw in any::<String>()) {
        drop(Address::parse(&text));
        drop(Address::parse(&raw));
    }
}

#[test]
fn ordinary_addresses_are_read_and_others_refused() {
    for good in [
        "a@b",
        "alice@example.org",
        "a.b+c@x-y.example",
        "o'neil@example.org",
        "x@localhost",
    ] {
        assert_eq!(Address::parse(good).unwrap().as_str(), good);
    }
    for bad in [
        "",
        "@",
        "a@",
        "@b",
        "a b@c",
        "a@b c",
        "a@b..c",
        "a@-b",
        ".a@b",
        "a@b\r\nc",
        "\"a\"@b",
        "a@[1.2.3.4]",
    ] {
        assert_eq!(Address::parse(bad), Err(BadAddress), "{bad}");
    }
    assert!(Address::parse(&format!("a@{}", "b.".repeat(200))).is_err());
}

#[test]
fn the_spellings_of_a_mailbox_share_its_limits() {
    for text in [
        "a.b@x.example",
        "AB+1@X.example",
        "a.b+c+d@x.example",
        "ab@x.example",
    ] {
        assert_eq!(
            Address::parse(text).unwrap().limit_key(),
            "ab@x.example",
            "{text}"
        );
    }
    for other in ["ab@xx.example", "ab-c@x.example", "+@x.example"] {
        assert_ne!(
            Address::parse(other).unwrap().limit_key(),
            "ab@x.example",
            "{other}"
        );
    }
}

#[test]
fn a_detail_is_delivered_to_its_mailbox() {
    let server = Address::parse("pbmserv@host.example").unwrap();
    let seat = server.with_detail("2k-abc");
    assert_eq!(seat.as_str(), "pbmserv+2k-abc@host.example");
    assert_eq!(seat.detail(), Some("2k-abc"));
    assert!(
        Address::parse("PBMserv+x@HOST.example")
            .unwrap()
            .is_delivered_to(&server)
    );
    assert!(
        !Address::parse("other@host.example")
            .unwrap()
            .is_delivered_to(&server)
    );
}
