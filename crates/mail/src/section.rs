//! A section of a configuration file. A key is one entry: its comment, its name, its type and its default.

/// A section whose keys are known by name, in the order of the file.
pub trait Section {
    /// Its keys. A field that is no key, for it is not read (`#[serde(skip)]`), is among them.
    const KEYS: &'static [Key];
}

/// A key, as the documented file shows it.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// The lines of the comment above it. A key without a comment shares that of the key before it.
    pub comment: &'static [&'static str],
}

/// Makes the struct of a section from its keys. A comment is plain text for the operator, no Markdown.
#[macro_export]
macro_rules! section {
    ($(#[$about:meta])* pub struct $Section:ident {
        $($(#[doc = $comment:literal])* $(#[serde($skip:ident)])? $key:ident: $type:ty = $default:expr,)*
    }) => {
        $(#[$about])*
        #[derive(Clone, ::serde::Deserialize, ::serde::Serialize)]
        #[serde(default, deny_unknown_fields)]
        pub struct $Section {
            $(
                #[doc = "```text"]
                $(#[doc = $comment])*
                #[doc = "```"]
                $(#[serde($skip)])?
                pub $key: $type,
            )*
        }

        impl Default for $Section {
            fn default() -> Self {
                Self { $($key: $default,)* }
            }
        }

        impl $crate::section::Section for $Section {
            const KEYS: &'static [$crate::section::Key] = &[
                $($crate::section::Key { name: stringify!($key), comment: &[$($comment),*] },)*
            ];
        }
    };
}
